import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { endAllWarm } from "../../../proc/runs/end-warm.ts";
import { isAlive } from "../../../proc/processes/identity.ts";
import { prepareRun } from "../../../proc/runs/run.ts";
import { markWarm } from "../../../proc/runs/warm-run.ts";
import { leftOf, signalIfThere } from "../../support/journal-processes.ts";
import { noSmallDisk, SmallDisk } from "../../support/files/small-disk.ts";
import { isolations, ShimRuns, until } from "./shim-runs.ts";

if (noSmallDisk) console.warn(`SKIPPED: a full disk, ${noSmallDisk}`);

/** A folder in which processes wait, on a disk of its own where the system gives one. */
class Pool implements AsyncDisposable {
  readonly #top = mkdtempSync(join(tmpdir(), "cortex-warm-"));
  readonly folder = join(this.#top, "warm");
  readonly disk = noSmallDisk ? null : new SmallDisk(this.#top, 256 * 1024);

  constructor() {
    mkdirSync(this.folder);
  }

  /** One that waits, deaf to TERM. */
  async wait(shim: ShimRuns, name: string) {
    const folder = join(this.folder, name);
    await prepareRun(folder);
    markWarm(folder);
    await shim.start(["/bin/sh", "-c", "trap '' TERM; echo up; while :; do sleep 1; done"], folder);
    await shim.said(folder, "up");
    return shim.born(folder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const left = await leftOf(this.#top);
    this.disk?.[Symbol.dispose]();
    rmSync(this.#top, { recursive: true });
    if (left.length > 0) throw new Error(`left running: ${JSON.stringify(left)}`);
  }
}

describe.each(isolations)("with $level", (isolation) => {
  test.skipIf(noSmallDisk)("all warm processes are ended on a full disk, dead ones included", async () => {
    await using shim = new ShimRuns(isolation);
    await using pool = new Pool();
    const [one, other] = [await pool.wait(shim, "one"), await pool.wait(shim, "other")];
    pool.disk?.fill(0);
    signalIfThere(other.pid, "SIGKILL");
    await until(() => !isAlive(other), "it has died");
    await endAllWarm(pool.folder);
    expect([one, other].map(isAlive)).toEqual([false, false]);
    expect(readdirSync(pool.folder)).toEqual([]);
  });

  test("a process that can't be ended is reported after all others were", async () => {
    await using shim = new ShimRuns(isolation);
    await using pool = new Pool();
    writeFileSync(join(pool.folder, "a file"), "");
    const one = await pool.wait(shim, "one");
    await expect(endAllWarm(pool.folder)).rejects.toThrow("a file");
    expect(isAlive(one)).toBe(false);
    expect(readdirSync(pool.folder)).toEqual(["a file"]);
  });
});
