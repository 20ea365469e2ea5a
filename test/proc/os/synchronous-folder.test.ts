import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { onDisk } from "../../support/files/on-disk.ts";
import { isSynchronous, setSynchronous } from "../../../proc/os/synchronous-folder.ts";

function folderIn(parent: string): Disposable & { path: string } {
  const path = mkdtempSync(join(parent, "synchronous-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

/** Whether this system has a file system that can. */
const can = (() => {
  using folder = folderIn(onDisk);
  try {
    execFileSync("chattr", ["+S", folder.path], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

test.runIf(can)("a folder is made synchronous with all that is in it and comes into it, and no longer so", async () => {
  using folder = folderIn(onDisk);
  mkdirSync(join(folder.path, "before"));
  writeFileSync(join(folder.path, "before", "file"), "x");
  expect(await isSynchronous(folder.path)).toBe(false);
  expect(await setSynchronous(folder.path, true)).toBe(null);
  mkdirSync(join(folder.path, "after"));
  writeFileSync(join(folder.path, "after", "file"), "x");
  expect(await isSynchronous(folder.path)).toBe(true);
  execFileSync("chattr", ["-S", join(folder.path, "after", "file")]);
  expect(await isSynchronous(folder.path)).toBe(null);
  expect(await setSynchronous(folder.path, true)).toBe(null);
  expect(await isSynchronous(folder.path)).toBe(true);
  expect(await setSynchronous(folder.path, false)).toBe(null);
  expect(await isSynchronous(folder.path)).toBe(false);
});

test.runIf(existsSync("/dev/shm"))("where the file system can't, it says why", async () => {
  using folder = folderIn("/dev/shm");
  expect(await setSynchronous(folder.path, true)).toMatch(/not supported|no chattr|doesn't keep/i);
  expect(await setSynchronous(join(folder.path, "missing"), true)).not.toBe(null);
});
