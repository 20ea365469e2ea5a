/** `docs/protocol.md`: the schemas as tables and examples for readers. */
import { cortexOwnEvents, type EventName, eventShapes } from "../../protocol/runs/event.ts";
import { exitCodes, exitMeanings } from "../../protocol/runs/exit-codes.ts";
import { namePattern, personaNamePattern } from "../../protocol/names/names.ts";
import { replyHeader, subjectTable } from "../../protocol/runs/subjects.ts";
import { fieldsTable, table } from "./fields-table.ts";
import { eventShapeSchema, type Published, publishedSchema, stampSchema } from "../../scripts/settings/json-schemas.ts";

/** The whole page. */
export function protocolPage(): string {
  const sections = [
    opening,
    subjectsSection(),
    namesSection(),
    section("Request", "request"),
    handoffSection(),
    section("Rejection", "rejection"),
    section("Input", "input"),
    section("Grant request", "grant-request"),
    section("Grant answer", "grant-answer"),
    section("Status", "status"),
    section("Supervisor event", "supervisor-event"),
    eventsSection(),
    section("Inbound message", "inbound-message"),
    section("Outbound message", "outbound-message"),
    section("Receipt", "receipt"),
    section("Permission decision", "permission-decision"),
    section("Agent event", "agent-event"),
    section("Run configuration", "run-config"),
    messageSection(),
    section("Control line", "control-line"),
    section("Persona", "persona"),
    section("Settings", "settings"),
    exitCodesSection(),
  ];
  return `${sections.join("\n\n")}\n`;
}

const opening = `<!-- Generated from protocol/ by \`npm run docs\`. Change it there. -->
# Protocol

What may be said to cortex, and what it says. Each table comes from the schema that the code parses with; the same as JSON Schema stands in \`docs/schema/\`.
Objects are open: a field that isn't listed is kept and passed on.`;

function subjectsSection(): string {
  const rows = subjectTable.map(({ subject, direction, carries }) => [code(subject), direction, link(carries)]);
  return `## Subjects

The bus is NATS; every message is a JSON object in UTF-8.

${table(["subject", "direction", "carries"], rows)}

A message on \`cortex.request\` may name an inbox in its header \`${replyHeader}\`: a rejection is sent there as well.`;
}

function namesSection(): string {
  return `## Names

${table(
  ["name", "pattern"],
  [
    ["run (`agent_id`)", code("^\\d{13}$")],
    ["facet, backend", code(namePattern.source)],
    ["persona", code(personaNamePattern.source)],
    ["day", "`YYYYMMDD`, a date of the calendar"],
  ],
)}`;
}

function section(title: string, name: Published): string {
  const schema = publishedSchema(name);
  return [
    `## ${title}`,
    `${schema.description ?? ""} JSON Schema: [${name}.json](schema/${name}.json).`,
    fieldsTable(schema),
    ...(schema.examples ?? []).map((example) => fence(name, example)),
  ].join("\n\n");
}

function handoffSection(): string {
  const handoff = publishedSchema("request").$defs?.["Handoff"];
  return `### Handoff

${handoff?.description ?? ""} It may have every field of a [request](#request) except \`event\`, \`ts\`, \`agent_id\`, \`continue_from\` and \`handoff_from\`; without a \`prompt\` the child gets the parent's result.
A handoff that the agent itself wrote in its \`finish\` may set \`persona\`, \`prompt\`, \`backend\`, \`model\`, \`save\`, \`day\` and \`facet\`, nothing else.`;
}

function messageSection(): string {
  const message = publishedSchema("run-config").$defs?.["Message"] ?? {};
  return ["### Message", `${message.description ?? ""} \`history\` holds them.`, fieldsTable(message)].join("\n\n");
}

function eventsSection(): string {
  const names = Object.keys(eventShapes) as EventName[];
  const rows = names.map((name) => [
    `[\`${name}\`](#${name}-event)`,
    cortexOwnEvents.has(name) ? "cortex" : "the backend",
    eventShapeSchema(name).description ?? "",
  ]);
  return [
    "## Event",
    "A line of a run's file, and a message on `cortex.event.<agent_id>.<event>`: the same events in the same order. " +
      "`text_delta` and `tool_output` are on the bus alone, `pulse` in neither. A run has exactly one terminal event: `finish`, or an `error` without `terminal: false`. " +
      "JSON Schema: [event.json](schema/event.json).",
    "Every event carries:",
    fieldsTable(stampSchema()),
    table(["event", "who writes it", "meaning"], rows),
    ...names.map(eventSection),
  ].join("\n\n");
}

function eventSection(name: EventName): string {
  const shape = eventShapeSchema(name);
  const stamped = (shape.examples ?? []).map((fields) => ({ ...exampleStamp(name), ...(fields as object) }));
  return [
    `### ${name} event`,
    shape.description ?? "",
    ...(Object.keys(shape.properties ?? {}).length > 0 ? [fieldsTable(shape)] : []),
    ...stamped.map((example) => fence("event", example)),
  ].join("\n\n");
}

function exampleStamp(event: EventName) {
  return { event, ts: 1736380800031, agent_id: "1736380800000", seq: event === "request" ? 1 : 2 };
}

function exitCodesSection(): string {
  const names = Object.keys(exitCodes) as (keyof typeof exitCodes)[];
  return `## Exit codes

Of all commands.

${table(
  ["code", "meaning"],
  names.map((name) => [String(exitCodes[name]), exitMeanings[name]]),
)}`;
}

/** A fenced example. The word after `json` names the schema that it must fit: a test parses each. */
function fence(name: Published, example: unknown): string {
  return `\`\`\`json ${name}\n${JSON.stringify(example, null, 2)}\n\`\`\``;
}

const code = (text: string) => `\`${text}\``;
const link = (carries: string) =>
  carries.startsWith("`") ? carries : `[${carries}](#${carries.toLowerCase().replaceAll(" ", "-")})`;
