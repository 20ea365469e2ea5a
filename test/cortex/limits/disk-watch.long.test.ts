/** The actions of the watch over a full disk, and when. */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { DiskWatch } from "../../../cortex/limits/disk-watch.ts";
import { liveRunsFolder } from "../../../journal/run-folders/run-folder.ts";
import { logOf } from "../../../proc/logging/log.ts";
import { noSmallDisk, SmallDisk } from "../../support/files/small-disk.ts";

const diskBytes = 4 * 1024 * 1024;
const reserveBytes = diskBytes / 64;

test.skipIf(noSmallDisk)("a part of the reserve is kept until the runs that were stopped write no more", () => {
  const journal = mkdtempSync(join(tmpdir(), "cortex-disk-watch-"));
  const disk = new SmallDisk(liveRunsFolder(journal), diskBytes);
  onTestFinished(() => {
    disk[Symbol.dispose]();
    rmSync(journal, { recursive: true });
  });
  const reserve = () => statSync(join(liveRunsFolder(journal), "reserve")).size;
  const watch = new DiskWatch(journal, logOf("test"));
  expect(watch.mayStart()).toBe(true);
  expect(reserve()).toBe(reserveBytes);

  const run = { isWriting: true, told: [] as string[] };
  using _ = watch.over({ onFull: (error) => run.told.push(error), mayWrite: () => run.isWriting });
  disk.fill(0);
  expect(watch.checkSpace(), "it is full, whatever is given up").not.toBe(null);
  expect(run.told).toEqual([expect.stringMatching(/^disk full: 0 bytes/)]);
  expect(reserve()).toBe(reserveBytes / 4);
  // What is given up, the run takes as well.
  disk.fill(0);
  expect(watch.checkSpace()).not.toBe(null);
  expect(reserve()).toBe(reserveBytes / 4);

  run.isWriting = false;
  expect(watch.checkSpace()).not.toBe(null);
  expect(reserve()).toBe(0);
  expect(run.told, "it is told once").toHaveLength(1);

  disk.empty();
  expect(watch.mayStart()).toBe(true);
  expect(reserve()).toBe(reserveBytes);
});
