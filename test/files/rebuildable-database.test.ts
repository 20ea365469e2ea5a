/** A database that several programs open at the same moment, before it is there. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";

const openers = 4;
const rounds = 40;

/** Opens each database as the others do so, and notes in it that it has. Resolves with what went wrong. */
const opening = `
  const { parentPort, workerData } = require("node:worker_threads");
  const { module, paths, openers, arrived } = workerData;
  const all = new Int32Array(arrived);
  const kind = { version: 1, tables: ["opened"], schema: "CREATE TABLE opened (id INTEGER PRIMARY KEY)" };
  const problems = [];
  import(module).then(({ openRebuildable }) => {
    for (const [round, path] of paths.entries()) {
      Atomics.add(all, 0, 1);
      while (Atomics.load(all, 0) < (round + 1) * openers) Atomics.wait(all, 1, 0, 1);
      try {
        const database = openRebuildable(path, kind, (error) => problems.push("broken: " + error));
        database.exec("PRAGMA busy_timeout = 60000; INSERT INTO opened DEFAULT VALUES");
        database.close();
      } catch (error) {
        problems.push(String(error));
      }
    }
    parentPort.postMessage(problems);
  });
`;

function problemsOf(paths: string[], arrived: SharedArrayBuffer): Promise<string[]> {
  const module = new URL("../../files/rebuildable-database.ts", import.meta.url).href;
  const worker = new Worker(opening, { eval: true, workerData: { module, paths, openers, arrived } });
  return new Promise((resolve, reject) => void worker.once("message", resolve).once("error", reject));
}

test("each of those that open it at once has it, and nothing of what they write in it is lost", async () => {
  const folder = mkdtempSync(join(tmpdir(), "cortex-rebuildable-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const paths = Array.from({ length: rounds }, (_, round) => join(folder, `${round}/one.sqlite`));
  const arrived = new SharedArrayBuffer(8);
  const problems = await Promise.all(Array.from({ length: openers }, () => problemsOf(paths, arrived)));
  expect(problems.flat()).toEqual([]);
  for (const path of paths) {
    using database = new DatabaseSync(path);
    expect(database.prepare("SELECT count(*) AS count FROM opened").get()).toEqual({ count: openers });
  }
});
