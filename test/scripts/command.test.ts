/** What all commands share. */
import { expect, test } from "vitest";
import { temporaryJournal } from "../journal/temporary-journal.ts";
import { runCortex } from "./run-command.ts";

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
