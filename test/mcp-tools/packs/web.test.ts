import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { issueToken } from "../../../journal/access/tokens.ts";
import { readPage } from "../../../mcp-tools/packs/web.ts";
import { canMakeHosts, OtherHost } from "../../support/network/network.ts";
import { callTool, connect, makeJournal, startTools, type ToolsServer } from "../tools-server.ts";

const folder = makeJournal();
let server: ToolsServer;
let client: Client & AsyncDisposable;
let opened = 0;
const html = "<title>Tides</title><p>High at <a href=six>six</a>.</p>";
const local = createServer(({ url }, response) => {
  response
    .setHeader("Content-Type", url === "/page" ? "text/html" : "text/plain")
    .end(url === "/page" ? html : "a\u202eb");
}).on("connection", () => opened++);

beforeAll(async () => {
  local.listen(0, "127.0.0.1");
  await once(local, "listening");
  server = await startTools(folder.journal);
  client = await connect(server.url, await issueToken(folder.journal, "1736380800000", ["web_fetch"]));
});
afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  local.close();
  folder[Symbol.dispose]();
});

test("web_fetch only reads, and says that it reaches out into the world", async () => {
  const { tools } = await client.listTools();
  expect(tools.map(({ name, annotations }) => [name, annotations])).toEqual([
    ["web_fetch", { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true }],
  ]);
});

test("a server on this machine is refused, our own included", async () => {
  opened = 0;
  const port = portOf();
  for (const url of [
    `http://127.0.0.1:${port}/`,
    `http://localhost:${port}/`,
    `http://[::ffff:7f00:1]:${port}/`,
    server.url,
  ]) {
    const { text, isError } = await callTool(client, "web_fetch", { url });
    expect([isError, text]).toEqual([true, expect.stringContaining("own network")]);
  }
  expect(opened).toBe(0);
});

test.skipIf(!canMakeHosts())("what listens here is refused by this machine's own public addresses as well", () => {
  using host = new OtherHost();
  const program = fileURLToPath(new URL("../../fixtures/fetch-own-address.ts", import.meta.url));
  const [ip = "", ...inside] = host.prefix;
  for (const address of ["93.184.216.34", "2a01:4f8:1:2::3"]) {
    const all = address.includes(":") ? "/64" : "/32";
    execFileSync(ip, [
      ...inside,
      "ip",
      "address",
      "add",
      `${address}${all}`,
      "dev",
      "lo",
      ...(all === "/64" ? ["nodad"] : []),
    ]);
    const said = JSON.parse(execFileSync(ip, [...inside, process.execPath, program, address], { encoding: "utf8" }));
    expect(said).toEqual({ opened: 0, answer: expect.stringContaining("own network") });
  }
});

test("a page is read as its reader would see it, other text as it is", async () => {
  const options = { isAllowed: () => true };
  const origin = `http://127.0.0.1:${portOf()}`;
  const page = { url: `${origin}/page`, type: "text/html", title: "Tides", isCut: false };
  expect(await readPage(`${origin}/page`, 1_000, options)).toEqual({ ...page, text: `High at six (${origin}/six).` });
  expect(await readPage(`${origin}/page`, 4, options)).toEqual({ ...page, text: "High", isCut: true });
  expect(await readPage(`${origin}/text`, 1_000, options)).toMatchObject({ type: "text/plain", title: "", text: "ab" });
});

test.each([
  [{ url: "file:///etc/passwd" }, "expected http:// or https://"],
  [{ url: "example.com" }, '"example.com" is not an address of a page'],
  [{ url: "http://user:word@example.com/" }, "name or password"],
  [{ url: "http://169.254.169.254/latest/meta-data/" }, "own network"],
  [{ url: "http://example.com/", max_characters: 1_000_000 }, "max_characters: expected at most 100000"],
])("%j is an error that says why", async (args, message) => {
  const { text, isError } = await callTool(client, "web_fetch", args);
  expect([isError, text]).toEqual([true, expect.stringContaining(message)]);
});

function portOf(): number {
  const address = local.address();
  return typeof address === "object" && address ? address.port : 0;
}
