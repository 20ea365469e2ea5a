/** The memory for reading a run's file is as small for a large one as for a small one. */
import { execFile } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { makePrivateFolders } from "../../journal/config/paths.ts";
import { endedFile, runFileFolder } from "../../journal/runs/run-files.ts";
import { agentId, line } from "./temporary-journal.ts";

/** In MiB. Read at once, a file of short lines takes some ten times its size. */
const fileMebibytes = 24;
const fixture = fileURLToPath(new URL("../fixtures/read-large-run.ts", import.meta.url));

test("every reader of a run takes little memory, however large its file is", async () => {
  const journal = mkdtempSync(join(tmpdir(), "cortex-large-"));
  try {
    makePrivateFolders(journal);
    mkdirSync(runFileFolder(journal, agentId), { recursive: true });
    const file = openSync(endedFile(journal, agentId), "w");
    writeSync(file, `${line(1, "request", { prompt: "x" })}\n`);
    let seq = 1;
    for (let size = 0; size < fileMebibytes * 1024 * 1024; ) {
      const lines = Array.from({ length: 4096 }, () => line(++seq, "info", { message: "x" }));
      size += writeSync(file, `${lines.join("\n")}\n`);
    }
    writeSync(file, `${line(++seq, "finish", { result: "done" })}\n`);
    closeSync(file);
    const arguments_ = ["--max-old-space-size=64", "--max-semi-space-size=4", fixture, journal, agentId];
    const { stdout } = await promisify(execFile)(process.execPath, arguments_);
    const ways = stdout
      .trim()
      .split("\n")
      .map((text) => JSON.parse(text) as { way: string; mebibytes: number });
    expect(ways).toHaveLength(14);
    expect(Math.max(...ways.map(({ mebibytes }) => mebibytes))).toBeLessThan(300);
  } finally {
    rmSync(journal, { recursive: true });
  }
});
