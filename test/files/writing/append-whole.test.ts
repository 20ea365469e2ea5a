import { appendFileSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as immediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { appendNow, appendText } from "../../../files/writing/append-whole.ts";
import { rawPosition, noteRawPosition } from "../../../journal/run-folders/raw-cursor.ts";
import { activeFile, endedFile, runsFolder } from "../../../journal/runs/run-files.ts";
import { RunLog } from "../../../journal/runs/run-log.ts";
import { verifyRun } from "../../../journal/ended-runs/verify-run.ts";
import { noSmallDisk, SmallDisk } from "../../support/files/small-disk.ts";
import { agentId, event, temporaryJournal } from "../../journal/temporary-journal.ts";

if (noSmallDisk) console.warn(`SKIPPED: a full disk, ${noSmallDisk}`);

test("appended bytes are at the end of the file; a missing file is made", async () => {
  using journal = temporaryJournal();
  const path = join(journal.path, "x");
  await appendText(path, "one\n", 0o600);
  appendNow(path, "two\n", 0o600);
  expect(readFileSync(path, "utf8")).toBe("one\ntwo\n");
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test.skipIf(noSmallDisk)(
  "a run's lines on a full disk wait, whole, and its chain holds when there is room again",
  async () => {
    using journal = temporaryJournal();
    mkdirSync(runsFolder(journal.path), { recursive: true });
    using disk = new SmallDisk(runsFolder(journal.path), 256 * 1024);
    const log = RunLog.claim(journal.path, agentId, "fast");
    if (!log) throw new Error("not claimed");
    const write = (fields: Record<string, unknown>, name = "text") => {
      const { event: _, ts, agent_id, seq } = event(log.nextSeq, name);
      return log.append([JSON.stringify({ event: name, ts, agent_id, seq, prev: log.head ?? undefined, ...fields })]);
    };
    await write({ prompt: "x" }, "request");
    disk.fill(8192);
    let waiting: Promise<void>;
    let before: number;
    do {
      before = log.nextSeq;
      waiting = write({ text: "é".repeat(1000) });
      await immediate(); // a line for which there is room has been written by now
    } while (log.nextSeq > before);
    expect(readFileSync(activeFile(journal.path, agentId), "utf8").endsWith('é"}\n')).toBe(true);
    disk.empty();
    await waiting;
    await write({ result: "done" }, "finish");
    await log.close();
    expect(await verifyRun(endedFile(journal.path, agentId), agentId)).toMatchObject({
      state: "intact",
      lines: log.nextSeq - 1,
    });
  },
);

test.skipIf(noSmallDisk)("an entry leaves nothing on a full disk, so that no two are fused", async () => {
  using journal = temporaryJournal();
  const folder = join(journal.path, "attempt");
  using disk = new SmallDisk(folder, 64 * 1024);
  await noteRawPosition(folder, 2, { offset: 10, skip: 0 });
  disk.fill(0);
  // The rest of the file's own page is filled as well, up to the last byte but three.
  appendFileSync(join(folder, "cursor"), `${"9 9 9".padEnd(4096 - 7 - 4)}\n`);
  const waiting = noteRawPosition(folder, 3, { offset: 4000, skip: 0 });
  expect(statSync(join(folder, "cursor")).size).toBe(4093);
  disk.empty();
  await waiting;
  expect(rawPosition(folder, 3)).toEqual({ offset: 4000, skip: 0 });
});
