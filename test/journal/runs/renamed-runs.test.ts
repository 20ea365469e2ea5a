/** A listing never misses a run that exists, whatever name it gets meanwhile. */
import { mkdirSync, writeFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { listRuns, runFiles } from "../../../journal/runs/list-runs.ts";
import { activeFile, endedFile, runFileFolder, runState } from "../../../journal/runs/run-files.ts";
import { agentId, line, temporaryJournal } from "../temporary-journal.ts";

const count = 200;

/** Closes runs and opens them again, so many times or until it is stopped: each step leaves a name. */
const renaming = `
  const { existsSync, linkSync, unlinkSync } = require("node:fs");
  const { pairs, rounds, stop } = require("node:worker_threads").workerData;
  const stopped = new Int32Array(stop);
  for (let round = 0; round < rounds && Atomics.load(stopped, 0) === 0; round++)
    for (const [active, ended] of pairs) {
      const [from, to] = existsSync(active) ? [active, ended] : [ended, active];
      linkSync(from, to);
      unlinkSync(from);
    }
`;

/** A journal whose runs get other names, so many times or until the end of the test. */
function renamedRuns(rounds: number) {
  const journal = temporaryJournal();
  const ids = Array.from({ length: count }, (_, index) => String(Number(agentId) + index));
  mkdirSync(runFileFolder(journal.path, agentId), { recursive: true });
  for (const id of ids) writeFileSync(activeFile(journal.path, id), `${line(1, "request")}\n`);
  const stop = new SharedArrayBuffer(4);
  const pairs = ids.map((id) => [activeFile(journal.path, id), endedFile(journal.path, id)]);
  const worker = new Worker(renaming, { eval: true, workerData: { pairs, rounds, stop } });
  const exited = new Promise((resolve) => worker.once("exit", resolve));
  return {
    path: journal.path,
    ids,
    async [Symbol.asyncDispose]() {
      Atomics.store(new Int32Array(stop), 0, 1);
      await exited;
      journal[Symbol.dispose]();
    },
  };
}

test("while runs are closed and opened again, each listing of files has all of them", async () => {
  await using runs = renamedRuns(Number.POSITIVE_INFINITY);
  for (let round = 0; round < 60; round++)
    expect(new Set([...runFiles(runs.path)].map((run) => run.agentId)).size).toBe(count);
  for (const id of runs.ids) expect(runState(runs.path, id)).not.toBe("absent");
});

test("a run that is closed, opened and closed again while it is read has its summary", async () => {
  await using runs = renamedRuns(3);
  expect(await listRuns(runs.path, count)).toHaveLength(count);
});
