/**
 * Our client of external servers, as the suite starts it with the address of one of its own: connects, and calls what is offered,
 * or what the suite asks for. It stands for a caller who fills in every form.
 */
import { setTimeout as delay } from "node:timers/promises";
import { tmpdir } from "node:os";
import { isInputRequiredResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import { ExternalServer } from "../../mcp-tools/external/external-server.ts";
import { serverSpecs } from "../../mcp-tools/external/server-specs.ts";
import type { CalledTool } from "../../mcp-tools/external/tool-calls.ts";
import type { CallerAbilities } from "../../mcp-tools/tool/tool.ts";
import { logOf } from "../../proc/logging/log.ts";

const ToolCalls = z.array(z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()).default({}) }));
const Context = z.looseObject({ toolCalls: ToolCalls.optional() });

const maxRounds = 10;

/** The suite starts a program for each of its scenarios, and all of them at once. */
const readyWithinMs = 240_000;

const url = process.argv.at(-1) ?? "";
const [spec] = serverSpecs(tmpdir(), process.env, { mcp_servers: { suite: { url } } }, []);
if (!spec) throw new Error("there is no server to talk to");
await using server = new ExternalServer({
  ...spec,
  times: { connect: readyWithinMs },
  log: logOf("conformance"),
  onChange: () => {},
});
for (const end = performance.now() + readyWithinMs; server.state !== "ready"; await delay(20))
  if (server.state === "failed" || performance.now() > end) throw new Error(server.source.error ?? "it isn't ready");

const asked = Context.parse(JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}")).toolCalls;
const calls = asked ?? server.tools.map(({ name, inputSchema }) => ({ name, arguments: argumentsFor(inputSchema) }));
const reporter = { signal: new AbortController().signal, progress: () => {} };
for (const call of calls) {
  const name = call.name.replace(/^suite\./, "");
  const tool = server.tools.find((one) => one.name === `suite.${name}`);
  if (tool) await answered({ name, inputSchema: tool.inputSchema }, call.arguments);
}

/** Calls a tool, again and again until it asks for nothing more. */
async function answered(tool: CalledTool, args: Record<string, unknown>): Promise<void> {
  let round: Pick<CallerAbilities, "answers" | "state"> = {};
  for (let rounds = 0; rounds < maxRounds; rounds++) {
    const caller = { knowsTasks: false, fillsForms: true, asks: { elicitation: {} }, ...round };
    const result = await server.call(tool, args, reporter, { caller });
    if (!isInputRequiredResult(result)) return;
    const filled = { action: "accept", content: { confirmed: true } };
    const answers = Object.fromEntries(Object.keys(result.inputRequests ?? {}).map((key) => [key, filled]));
    round = { answers, state: result.requestState };
  }
}

/** Some value for each argument that a schema names. */
function argumentsFor({ properties = {} }: { properties?: Record<string, unknown> | undefined }) {
  const values: Record<string, unknown> = { string: "text", boolean: true, array: [], object: {} };
  const typeOf = (schema: unknown) => z.looseObject({ type: z.string() }).safeParse(schema).data?.type ?? "string";
  return Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, values[typeOf(schema)] ?? 1]));
}
