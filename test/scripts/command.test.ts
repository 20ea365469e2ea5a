/** What all commands share. */
import { expect, test } from "vitest";
import { temporaryJournal } from "../journal/temporary-journal.ts";
import { runCortex, runCortexJson } from "./run-command.ts";

test.each([
  ["status", ["nope"]],
  ["up", ["nope"]],
  ["runs list", ["nope"]],
  ["runs show", ["4711", "nope"]],
  ["runs dead list", ["nope"]],
])("cortex %s: an argument too many is named, and nothing is done", async (command, args) => {
  using journal = temporaryJournal();
  const ran = await runCortex(journal.path, [...command.split(" "), ...args]);
  expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('unexpected "nope"') });
});

test("a hint names the command that can be typed where the user stands, also as JSON", async () => {
  using journal = temporaryJournal();
  const bare = { PATH: "/usr/bin:/bin" };
  expect((await runCortex(journal.path, ["runs", "show"], bare)).stderr).toContain("\n  see: npx cortex runs list");
  expect((await runCortex(journal.path, ["status"])).stderr).toContain("\n  start it: cortex up");
  const { document } = await runCortexJson(journal.path, ["status"], bare);
  expect(document).toMatchObject({ error: { hint: "start it: npx cortex up" } });
});
