import { once } from "node:events";
import { mkdirSync, realpathSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import {
  inside,
  makePrivateFolders,
  OutsideError,
  realAsFarAsItGoes,
  runtime,
  state,
} from "../../../journal/config/paths.ts";
import { temporaryJournal } from "../temporary-journal.ts";

test("a path is resolved inside its folder, whether or not it exists", () => {
  using journal = temporaryJournal();
  const root = realpathSync(journal.path);
  mkdirSync(join(root, "a"));
  expect(inside(root, "a")).toBe(join(root, "a"));
  expect(inside(root, "a/../a/./b/c")).toBe(join(root, "a/b/c"));
  expect(inside(root, ".")).toBe(root);
  symlinkSync("a", join(root, "link"));
  expect(inside(root, "link/b")).toBe(join(root, "a/b"));
});

test.each(["..", "../x", "a/../../x", "/etc/passwd", "up", "up/x", "dangling", "loop", "loop/x"])(
  "%j would leave it, and is refused",
  (path) => {
    using journal = temporaryJournal();
    symlinkSync("..", join(journal.path, "up"));
    symlinkSync("nowhere", join(journal.path, "dangling"));
    symlinkSync("loop", join(journal.path, "loop"));
    expect(() => inside(journal.path, path)).toThrow(path.startsWith("loop") ? /ELOOP/ : OutsideError);
  },
);

test("a folder whose name begins with the other's name is outside", () => {
  using journal = temporaryJournal();
  mkdirSync(join(journal.path, "day"));
  mkdirSync(join(journal.path, "day2"));
  expect(() => inside(join(journal.path, "day"), "../day2/x")).toThrow(OutsideError);
});

test("a private folder can be entered by its owner alone", () => {
  using journal = temporaryJournal();
  makePrivateFolders(journal.path);
  for (const folder of [runtime(journal.path), state(journal.path)]) expect(statSync(folder).mode & 0o777).toBe(0o700);
});

/** Makes and removes a folder, over and over, and says when it is done. */
const flapping = `
  const { mkdirSync, rmdirSync } = require("node:fs");
  const { workerData } = require("node:worker_threads");
  for (let count = 0; count < 3000; count++) {
    mkdirSync(workerData.path);
    rmdirSync(workerData.path);
  }
  Atomics.store(workerData.isDone, 0, 1);
`;

test("a folder that comes and goes at this moment isn't taken for a link that leads nowhere", async () => {
  using journal = temporaryJournal();
  const path = join(realpathSync(journal.path), "flapping");
  const isDone = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(flapping, { eval: true, workerData: { path, isDone } });
  await once(worker, "online");
  while (Atomics.load(isDone, 0) === 0) expect(realAsFarAsItGoes(path)).toBe(path);
  await once(worker, "exit");
});
