/** The JSON Schemas that are published: which there are, and how each is made from its zod schema. */
import { z } from "zod";
import { AgentNews } from "../../protocol/agents/agent-event.ts";
import { InboundMessage, OutboundMessage, PermissionDecision, Receipt } from "../../protocol/agents/channel.ts";
import { AgentEvent, type EventName, eventShapes, Stamp } from "../../protocol/runs/event.ts";
import { GrantAnswer, GrantRequest } from "../../protocol/runs/request/grant.ts";
import { PersonaSettings } from "../../protocol/settings/persona.ts";
import { Request } from "../../protocol/runs/request/request.ts";
import { ControlLine, RunConfig } from "../../protocol/runs/run-config.ts";
import { Settings } from "../../protocol/settings/settings.ts";
import { RunInput, Rejection, Status } from "../../protocol/runs/subjects.ts";
import { SupervisorEvent } from "../../protocol/programs/supervisor-event.ts";

/** As much of a JSON Schema as is read or written here. */
export type JsonSchema = {
  [keyword: string]: unknown;
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
  title?: string;
  description?: string;
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  additionalProperties?: JsonSchema | boolean;
  examples?: unknown[];
};

/** The schemas that are published, by the name of their file. */
export const published = {
  request: Request,
  event: AgentEvent,
  rejection: Rejection,
  input: RunInput,
  "grant-request": GrantRequest,
  "grant-answer": GrantAnswer,
  status: Status,
  "supervisor-event": SupervisorEvent,
  "inbound-message": InboundMessage,
  "outbound-message": OutboundMessage,
  receipt: Receipt,
  "permission-decision": PermissionDecision,
  "agent-event": AgentNews,
  "run-config": RunConfig,
  "control-line": ControlLine,
  persona: PersonaSettings,
  settings: Settings,
} as const satisfies Record<string, z.ZodType>;
export type Published = keyof typeof published;

/** The JSON Schema of what is published under this name. */
export function publishedSchema(name: Published): JsonSchema {
  return name === "event" ? eventSchema() : jsonSchema(published[name]);
}

/** One schema for every line: what all events carry, and for each known name what it adds. Unknown names pass. */
function eventSchema(): JsonSchema {
  const names = Object.keys(eventShapes) as EventName[];
  const { $defs: _, ...all } = jsonSchema(AgentEvent);
  const shapes = names.map((name) => ({ name, schema: eventShapeSchema(name) }));
  // What a shape refers to stands at the top, where its references look for it.
  const named = Object.assign({}, ...shapes.map(({ schema }) => schema.$defs));
  return {
    ...all,
    allOf: names.map((name) => ({
      if: { properties: { event: { const: name } } },
      // oxlint-disable-next-line unicorn/no-thenable -- JSON Schema calls it so
      then: { $ref: `#/$defs/${name}` },
    })),
    $defs: {
      ...Object.fromEntries(shapes.map(({ name, schema: { $defs: _defs, ...shape } }) => [name, shape])),
      ...named,
    },
  };
}

/** The schema of a known event's fields beside its stamp. */
export function eventShapeSchema(name: EventName): JsonSchema {
  const { $schema: _, ...shape } = jsonSchema(eventShapes[name]);
  return shape;
}

/** The schema of the fields that every event carries. */
export function stampSchema(): JsonSchema {
  return jsonSchema(Stamp);
}

function jsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema, $ref, $defs, ...rest } = z.toJSONSchema(schema, { io: "input", override: simplify }) as JsonSchema;
  if ($ref === undefined) return { $schema, ...rest, ...($defs && { $defs }) };
  // A schema with an id comes as a reference to its definition: it goes to the top, where editors look for a title.
  const id = $ref.replace("#/$defs/", "");
  const { [id]: root = {}, ...others } = $defs ?? {};
  const left = JSON.stringify([root, others]).includes(`"${$ref}"`) ? { [id]: root, ...others } : others;
  return { $schema, ...root, ...(Object.keys(left).length > 0 && { $defs: left }) };
}

/** Leaves out what says nothing: bounds of JavaScript's integers, names that are strings, leave for any other field. */
function simplify({ jsonSchema: schema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (isEmptyOr(schema.propertyNames, "string")) delete schema.propertyNames;
  if (schema.properties && isEmptyOr(schema.additionalProperties)) delete schema.additionalProperties;
}

function isEmptyOr(schema: unknown, type?: string): boolean {
  const text = JSON.stringify(schema);
  return text === "{}" || (type !== undefined && text === JSON.stringify({ type }));
}
