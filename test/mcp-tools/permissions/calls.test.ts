/** Rules on the calls of runs, over HTTP to the real program. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commandsToken, issueToken } from "../../../journal/access/tokens.ts";
import type { PermissionRule } from "../../../protocol/settings/permissions.ts";
import { callTool, connect, makeJournal, startTools, type ToolsServer } from "../tools-server.ts";

const { journal, [Symbol.dispose]: removeJournal } = makeJournal("example");
const settingsFile = join(journal, "cortex.json");
const writeSettings = (permissions: PermissionRule[]) => writeFileSync(settingsFile, JSON.stringify({ permissions }));
let server: ToolsServer;

beforeAll(async () => {
  writeSettings([]);
  server = await startTools(journal);
});
afterAll(async () => {
  await server?.stop();
  removeJournal();
});

let run = 1736380800000;
const tools = ["todo_add", "get_facet", "search_journal"];
const runWith = async (permissions?: PermissionRule[]) =>
  connect(server.url, await issueToken(journal, String(run++), tools, { permissions }));
const add = { facet: "garden", day: "20260101", text: "call back" };
const added = join(journal, "facets/garden/todos/20260101.md");

test("a call that the settings' rules deny is an error that says so, and does nothing", async () => {
  writeSettings([{ tool: "todo", decide: "deny" }]);
  await using client = await runWith();
  const { text, isError } = await callTool(client, "todo_add", add);
  expect(isError).toBe(true);
  expect(text).toBe(
    'todo_add: denied by a rule of the user ({"tool":"todo","decide":"deny"}). Don\'t try it in another way.',
  );
  expect(existsSync(added)).toBe(false);
  expect(await callTool(client, "search_journal", { query: "garden" })).toMatchObject({ isError: false });
});

test("a rule that is written while a run calls holds from its next call on", async () => {
  writeSettings([]);
  await using client = await runWith();
  expect(await callTool(client, "get_facet", { facet: "garden" })).toMatchObject({ isError: false });
  writeSettings([{ tool: "get_facet", match: "ga*", decide: "deny" }]);
  expect(await callTool(client, "get_facet", { facet: "garden" })).toMatchObject({ isError: true });
  expect((await callTool(client, "get_facet", { facet: "x" })).text).not.toContain("denied");
});

test("a persona's rules go before the settings'", async () => {
  writeSettings([{ tool: "*", decide: "deny" }]);
  await using client = await runWith([{ tool: "get_facet", decide: "allow" }]);
  expect(await callTool(client, "get_facet", { facet: "garden" })).toMatchObject({ isError: false });
  expect(await callTool(client, "search_journal", { query: "garden" })).toMatchObject({ isError: true });
});

test("a call that can't be examined isn't allowed", async () => {
  writeSettings([{ tool: "get_facet", match: "secret", decide: "deny" }]);
  await using client = await runWith();
  const { text, isError } = await callTool(client, "get_facet", { facet: { deep: "secret" } });
  expect({ isError, text }).toMatchObject({ isError: true, text: expect.stringContaining("can't be told: write it") });
});

test("settings that broke keep their rules, and the user's own calls have none", async () => {
  writeSettings([{ tool: "*", decide: "deny" }]);
  await using client = await runWith();
  await using own = await connect(server.url, await commandsToken(journal));
  expect(await callTool(client, "get_facet", { facet: "garden" })).toMatchObject({ isError: true });
  writeFileSync(settingsFile, "{ broken");
  expect(await callTool(client, "get_facet", { facet: "garden" })).toMatchObject({ isError: true });
  expect(await callTool(own, "get_facet", { facet: "garden" })).toMatchObject({ isError: false });
});
