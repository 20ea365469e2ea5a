/** The tool server that is started again: its port, its tokens, and what it leaves behind. */
import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandsToken, issueToken } from "../../../journal/access/tokens.ts";
import { ownPort } from "../../support/network/own-port.ts";
import { callTool, connect, makeJournal, startTools } from "../tools-server.ts";

test("the tool server keeps its port and the tokens over a restart, and a client goes on without noticing", async () => {
  using folder = makeJournal("example");
  await using first = await startTools(folder.journal, { CORTEX_MCP_PORT: String(await ownPort()) });
  await using client = await connect(first.url, await issueToken(folder.journal, "1736380800000", ["get_facet"]));
  await first.stop();
  await using second = await startTools(folder.journal);
  expect(second.url).toBe(first.url);
  expect((await callTool(client, "get_facet", { facet: "garden" })).text).toContain("Garden and house");
});

test("the tool server takes another port when its own is taken, and one that was asked for when it is free", async () => {
  using folder = makeJournal();
  await using server = await startTools(folder.journal);
  using second = makeJournal();
  await using taken = await startTools(second.journal, { CORTEX_MCP_PORT: String(server.port) });
  expect(taken.port).not.toBe(server.port);
  const free = await ownPort();
  using other = makeJournal();
  await using asked = await startTools(other.journal, { CORTEX_MCP_PORT: String(free) });
  expect(asked.port).toBe(free);
});

test("what the tool server leaves in .run is for its owner alone, and may be deleted while it is down", async () => {
  using folder = makeJournal("example");
  await using own = await startTools(folder.journal);
  expect(statSync(join(folder.journal, ".run")).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder.journal, ".run/commands-token")).mode & 0o777).toBe(0o600);
  await own.stop();
  expect(JSON.parse(readFileSync(join(folder.journal, ".run/programs/mcp-tools.json"), "utf8"))).toMatchObject({
    url: own.url,
  });
  rmSync(join(folder.journal, ".run"), { recursive: true });
  await using again = await startTools(folder.journal);
  await using client = await connect(again.url, await commandsToken(folder.journal));
  expect((await callTool(client, "search_journal", { query: "lemon" })).text).toContain("lemon");
});
