import { expect, test, vi } from "vitest";
import { commandsToken } from "../../journal/access/tokens.ts";
import { callTool, connect, makeJournal, startTools } from "./tools-server.ts";
import { patienceMs } from "../support/patience.ts";

test("SIGHUP makes the tools read the journal again, and ends nothing", async () => {
  using made = makeJournal("example");
  await using server = await startTools(made.journal);
  await using client = await connect(server.url, await commandsToken(made.journal));
  server.child.kill("SIGHUP");
  await vi.waitUntil(() => server.stderr().includes("SIGHUP"), { timeout: patienceMs });
  const record = server
    .stderr()
    .split("\n")
    .find((line) => line.includes("SIGHUP"));
  expect((JSON.parse(record ?? "") as { reread: string[] }).reread).toContain("search");
  const { isError } = await callTool(client, "search_journal", { query: "greenhouse" });
  expect(isError).toBe(false);
  expect(await server.stop()).toBe(0);
});
