/** The parts that all commands share. */
import { expect, test } from "vitest";
import { temporaryJournal } from "../../journal/temporary-journal.ts";
import { runCortex, runCortexJson } from "../run-command.ts";

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

test.each([
  [["statsu"], 'unknown command "statsu"', "did you mean: cortex status"],
  [["constructor"], 'unknown command "constructor"', "see: cortex --help"],
  [["help", "statsu"], 'unknown command "statsu"', "did you mean: cortex status"],
  [["runs", "lst"], 'unknown action "lst"', "did you mean: cortex runs list"],
  [["runs"], "no action was given: known actions are list", "see: cortex runs --help"],
  [["runs", "constructor"], 'unknown action "constructor"', "see: cortex runs --help"],
  [["runs", "dead", "lst"], 'unknown action "lst"', "did you mean: cortex runs dead list"],
  [["agents", "shwo", "x"], 'unknown action "shwo"', "did you mean: cortex agents show"],
  [["request", "--perzona", "x"], "Unknown option '--perzona'", "did you mean --persona? see: cortex-request --help"],
])("a mistyped %j is told with what was probably meant", async (args, message, hint) => {
  using journal = temporaryJournal();
  const { code, stderr } = await runCortex(journal.path, args);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  expect(stderr.split("\n").at(-1)).toBe(`  ${hint}`);
});

test("cortex help COMMAND prints what cortex COMMAND --help prints, and cortex help lists the commands", async () => {
  using journal = temporaryJournal();
  const asked = await runCortex(journal.path, ["help", "tools"]);
  expect(asked).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Usage: cortex tools /) });
  expect(asked).toEqual(await runCortex(journal.path, ["tools", "--help"]));
  const { code, stdout } = await runCortex(journal.path, ["help"]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("  cortex tools ") });
});
