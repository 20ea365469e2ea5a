/** `cortex up` in a terminal that is closed. */
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { temporaryJournal } from "../journal/temporary-journal.ts";
import { processesOf } from "../support/journal-processes.ts";
import { Terminal } from "../support/terminal/terminal.ts";

const bin = fileURLToPath(new URL("../../bin/cortex.js", import.meta.url));

test("a closed terminal stops cortex up and leaves no process", async () => {
  using journal = temporaryJournal();
  const { PATH = "" } = process.env;
  const env = { PATH, HOME: journal.path, JOURNAL_PATH: journal.path, TERM: "xterm", CORTEX_WEB_PORT: "0" };
  await using terminal = new Terminal([process.execPath, bin, "up"], env, 200);
  await terminal.until((text) => text.includes("cortex is up"), "it is up");
  terminal.close();
  expect(await terminal.exited).toBe(0);
  expect(processesOf(journal.path)).toEqual([]);
});
