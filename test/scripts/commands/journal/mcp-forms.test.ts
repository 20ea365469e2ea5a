/** `cortex mcp` carries the forms of an external server to its client on stdio, and what is filled in back, in either protocol. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client as NewerClient } from "@modelcontextprotocol/client";
import { StdioClientTransport as NewerTransport } from "@modelcontextprotocol/client/stdio";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { CallToolResultSchema, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { writeEndpoints } from "../../../../journal/access/endpoints.ts";
import { readToolCatalog } from "../../../../journal/programs/tool-catalog.ts";
import { patienceMs } from "../../../support/patience.ts";
import { makeJournal, startTools, type ToolsServer } from "../../../mcp-tools/tools-server.ts";

const file = (path: string) => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
const folder = makeJournal();
const { journal } = folder;
let server: ToolsServer;

beforeAll(async () => {
  const garden = { command: [process.execPath, file("test/fixtures/mcp/stateless.ts")] };
  writeFileSync(join(journal, "cortex.json"), JSON.stringify({ mcp_servers: { garden } }));
  server = await startTools(journal);
  await writeEndpoints(journal, { nats_url: "", nats_user: "", nats_token: "", mcp_url: server.url, pid: process.pid });
  const isReady = async () => (await readToolCatalog(journal)).sources[0]?.state === "ready";
  await vi.waitUntil(isReady, { timeout: patienceMs, interval: 20 });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const program = {
  command: process.execPath,
  args: [file("bin/cortex.js"), "mcp"],
  env: { PATH: process.env["PATH"] ?? "", JOURNAL_PATH: journal },
  stderr: "ignore" as const,
};
const params = { name: "garden.plant", arguments: {} };
const planted = [{ type: "text", text: "planted 3 beans" }];

/** Fills in the forms. */
function filled(message: string) {
  const content: Record<string, string | number> = message === "Which plant?" ? { plant: "beans" } : { number: 3 };
  return { action: "accept" as const, content };
}

test("a client of the older protocol", async () => {
  const client = new Client({ name: "test", version: "1" }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, ({ params: { message } }) => filled(message));
  await client.connect(new StdioClientTransport(program));
  try {
    const { content } = await client.callTool(params, CallToolResultSchema, { timeout: patienceMs });
    expect(content).toEqual(planted);
  } finally {
    await client.close();
  }
});

test("a client of the stateless protocol", async () => {
  const options = { capabilities: { elicitation: {} }, versionNegotiation: { mode: "auto" as const } };
  const client = new NewerClient({ name: "test", version: "1" }, options);
  client.setRequestHandler("elicitation/create", ({ params: { message } }) => filled(message));
  await client.connect(new NewerTransport(program));
  try {
    expect(client.getProtocolEra()).toBe("modern");
    expect((await client.callTool(params, { timeout: patienceMs })).content).toEqual(planted);
  } finally {
    await client.close();
  }
});
