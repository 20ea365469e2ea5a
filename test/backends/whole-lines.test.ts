import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { openOutput } from "../../backends/output.ts";
import { wholeLines } from "../../backends/whole-lines.ts";
import { noSmallDisk, SmallDisk } from "../support/files/small-disk.ts";
import { temporaryJournal } from "../journal/temporary-journal.ts";

test.skipIf(noSmallDisk)(
  "a line that a nearly full disk wrote in part is an error, and no finish follows it",
  async () => {
    using journal = temporaryJournal();
    using disk = new SmallDisk(join(journal.path, "disk"), 64 * 1024);
    disk.fill(4096);
    const path = join(journal.path, "disk/out");
    const file = openSync(path, "ax");
    onTestFinished(() => closeSync(file));
    const output = openOutput(wholeLines(file, new PassThrough()), Date.now, {});
    await output.write({ event: "text", text: "short" });
    await output.write({ event: "text", text: "x".repeat(10_000) });
    expect(output.closed.aborted).toBe(true);
    disk.empty();
    await output.write({ event: "finish", result: "all is well" });
    const written = readFileSync(path, "utf8");
    expect(written).toContain('"short"');
    expect(written).not.toContain("finish");
  },
);

test("a pipe is written to as before", () => {
  const pipe = new PassThrough();
  const terminal = openSync("/dev/null", "w");
  onTestFinished(() => closeSync(terminal));
  expect(wholeLines(terminal, pipe)).toBe(pipe);
});
