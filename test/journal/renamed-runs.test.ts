/** A listing never misses a run that exists, whatever name it gets meanwhile. */
import { mkdirSync, writeFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { listRuns, runFiles } from "../../journal/runs/list-runs.ts";
import { activeFile, endedFile, runFileFolder, runState } from "../../journal/runs/run-files.ts";
import { agentId, line, temporaryJournal } from "./temporary-journal.ts";

const count = 200;

/** Closes runs and opens them again, without end: each step leaves a name. */
const renaming = `
  const { linkSync, unlinkSync } = require("node:fs");
  const { pairs, stop } = require("node:worker_threads").workerData;
  const stopped = new Int32Array(stop);
  for (let back = false; Atomics.load(stopped, 0) === 0; back = !back)
    for (const [active, ended] of pairs) {
      const [from, to] = back ? [ended, active] : [active, ended];
      linkSync(from, to);
      unlinkSync(from);
    }
`;

test("while runs are closed and opened again, each listing has all of them", async () => {
  using journal = temporaryJournal();
  const ids = Array.from({ length: count }, (_, index) => String(Number(agentId) + index));
  mkdirSync(runFileFolder(journal.path, agentId), { recursive: true });
  for (const id of ids) writeFileSync(activeFile(journal.path, id), `${line(1, "request")}\n`);
  const stop = new SharedArrayBuffer(4);
  const pairs = ids.map((id) => [activeFile(journal.path, id), endedFile(journal.path, id)]);
  const worker = new Worker(renaming, { eval: true, workerData: { pairs, stop } });
  const exited = new Promise((resolve) => worker.once("exit", resolve));
  try {
    for (let round = 0; round < 60; round++)
      expect(new Set([...runFiles(journal.path)].map((run) => run.agentId)).size).toBe(count);
    expect(await listRuns(journal.path, count)).toHaveLength(count);
    for (const id of ids) expect(runState(journal.path, id)).not.toBe("absent");
  } finally {
    Atomics.store(new Int32Array(stop), 0, 1);
    await exited;
  }
});
