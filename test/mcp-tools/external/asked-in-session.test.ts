/** Forms of external servers for clients of the older protocol: put to them in the middle of the call, over their session. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CallToolResultSchema, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commandsToken, issueToken } from "../../../journal/access/tokens.ts";
import { type StatelessServer, startStatelessServer } from "../../support/mcp/stateless-server.ts";
import { patienceMs } from "../../support/patience.ts";
import { ToolboxSystem } from "./toolbox-system.ts";

const system = new ToolboxSystem();
let stateless: StatelessServer;
let token: string;

beforeAll(async () => {
  stateless = await startStatelessServer();
  system.configure({ garden: { url: stateless.url } });
  await system.start();
  token = await commandsToken(system.journal);
  await system.until("garden", "ready");
});
afterAll(async () => {
  await system[Symbol.asyncDispose]();
  await stateless[Symbol.asyncDispose]();
});

type Filled = { action: "accept" | "decline"; content?: Record<string, string | number> };

/** The official client of the older protocol, whose user fills in forms. */
async function connect(bearer: string, fillIn: (message: string) => Filled | Promise<Filled>) {
  const client = new Client({ name: "test", version: "1" }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => fillIn(params.message));
  const requestInit = { headers: { Authorization: `Bearer ${bearer}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(system.server.url), { requestInit }));
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

async function plant(client: Client) {
  const params = { name: "garden.plant", arguments: {} };
  const result = await client.callTool(params, CallToolResultSchema, { timeout: patienceMs });
  return CallToolResultSchema.parse(result);
}

const accept = (content: Record<string, string | number>): Filled => ({ action: "accept", content });

test("one form after the other is filled in", async () => {
  await using client = await connect(token, (message) =>
    accept(message === "Which plant?" ? { plant: "leeks" } : { number: 12 }),
  );
  expect(await plant(client)).toEqual({ content: [{ type: "text", text: "planted 12 leeks" }] });
});

test("each of two calls at once gets the answers to its own forms", async () => {
  const both = Promise.withResolvers<void>();
  const plants = ["leeks", "beans"];
  await using client = await connect(token, async (message) => {
    if (message !== "Which plant?") return accept({ number: message.includes("leeks") ? 1 : 2 });
    const plant = plants.pop() ?? "";
    // Both forms are open before the first is filled in.
    if (plants.length === 0) both.resolve();
    await both.promise;
    return accept({ plant });
  });
  const texts = (await Promise.all([plant(client), plant(client)])).flatMap(({ content }) =>
    content.map((part) => (part.type === "text" ? part.text : "")),
  );
  expect(texts.toSorted()).toEqual(["planted 1 leeks", "planted 2 beans"]);
});

test("a run is asked nothing, whatever its client declares", async () => {
  const permissions = [{ tool: "garden.plant", decide: "allow" as const }];
  const run = await issueToken(system.journal, "1736380800000", ["garden.plant"], { permissions });
  await using client = await connect(run, () => Promise.reject(new Error("it was asked")));
  expect(await plant(client)).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("nobody can be asked") }],
  });
});

/** Sends one message as a client of the older protocol. */
const post = (message: object, session?: string) =>
  fetch(system.server.url, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      Authorization: `Bearer ${token}`,
      ...(session !== undefined && { "Mcp-Session-Id": session }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", ...message }),
  });

test("an answer to a call that is over is taken, and means nothing", async () => {
  const response = await post({ id: "of somebody:1", result: { action: "accept", content: {} } });
  expect(response.status).toBe(202);
});

test("a call that is cancelled while its form is open ends, and no other with the same id", async () => {
  const sessions: string[] = [];
  for (const name of ["one", "other"]) {
    const clientInfo = { name, version: "1" };
    const params = { protocolVersion: "2025-11-25", capabilities: { elicitation: {} }, clientInfo };
    const greeted = await post({ id: 1, method: "initialize", params });
    sessions.push(greeted.headers.get("mcp-session-id") ?? "");
  }
  const [one = "", other = ""] = sessions;
  const call = { id: 7, method: "tools/call", params: { name: "garden.plant", arguments: {} } };
  const [ofOne, ofOther] = [readerOf(await post(call, one)), readerOf(await post(call, other))];
  await readUntil(ofOne, "Which plant?");
  const asked = await readUntil(ofOther, "Which plant?");
  await post({ method: "notifications/cancelled", params: { requestId: 7 } }, one);
  expect(await ofOne.read()).toMatchObject({ done: true });
  const { id } = JSON.parse(/^data: (.*)$/m.exec(asked)?.[1] ?? "");
  await post({ id, result: accept({ plant: "leeks" }) }, other);
  expect(await readUntil(ofOther, "How many leeks?")).toContain("elicitation/create");
  await ofOther.cancel();
});

function readerOf({ body }: Response): ReadableStreamDefaultReader<string> {
  if (!body) throw new Error("there is no stream");
  return body.pipeThrough(new TextDecoderStream()).getReader();
}

/** Reads a stream until that stands in one of its events. */
async function readUntil(reader: ReadableStreamDefaultReader<string>, wanted: string): Promise<string> {
  for (let text = ""; ; ) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`the stream ended after ${text}`);
    text += value;
    if (text.includes(wanted) && text.endsWith("\n\n")) return text;
  }
}
