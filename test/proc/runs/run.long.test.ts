/** A run's watchdog: what it takes for silence, and what becomes of runs whose shim or folder is gone. */
import { existsSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isAlive } from "../../../proc/processes/identity.ts";
import { exitOf, putLine } from "../../../proc/runs/run.ts";
import { isolations, parentOf, ShimRuns, until } from "./shim-runs.ts";

/** Ignores TERM, and has a child and a grandchild by a double fork that ignore it too. */
const deaf = `trap '' TERM; (trap '' TERM; sleep 71) & ( (trap '' TERM; sleep 72) & ) ; echo up; while :; do sleep 1; done`;

describe.each(isolations)("with $level", (isolation) => {
  const { level } = isolation;
  const runs = () => new ShimRuns(isolation);

  test.concurrent("a clock that is set back an hour is not a silence", async () => {
    await using shim = runs();
    const folder = await shim.sh("echo up; read -r line", { orphanGraceSeconds: 2 });
    await shim.said(folder, "up");
    await until(() => existsSync(join(folder, "seen")), "the watchdog watches");
    const wasLater = Date.now() / 1000 + 3600;
    utimesSync(join(folder, "seen"), wasLater, wasLater);
    const isPresent = () => statSync(join(folder, "seen")).mtimeMs / 1000 < wasLater - 1800;
    await until(isPresent, "the watchdog has noticed");
    const noticed = statSync(join(folder, "seen")).mtimeMs;
    await until(() => statSync(join(folder, "seen")).mtimeMs > noticed, "it hears the heartbeat again");
    expect(exitOf(folder)).toEqual({ code: null, stop: null });
    await putLine(folder, "bye");
    expect(await shim.ended(folder)).toEqual({ code: 0, stop: null });
  });

  test.runIf(level === "group").concurrent("the watchdog stops a run whose shim was killed first", async () => {
    await using shim = runs();
    const folder = await shim.sh("sleep 60", { orphanGraceSeconds: 2 });
    const agent = await shim.born(folder);
    await until(() => existsSync(join(folder, "seen")), "the watchdog watches");
    process.kill(parentOf(agent.pid), "SIGKILL");
    shim.fallSilent();
    expect(await shim.ended(folder)).toEqual({ code: null, stop: "orphaned" });
    await shim.empty(folder);
  });

  test.concurrent("a run whose folder is deleted ends with all that belongs to it, though it is watched over", async () => {
    await using shim = runs();
    const orphanGraceSeconds = 2;
    const reads = await shim.sh("echo up; read -r line", { orphanGraceSeconds });
    const stubborn = await shim.sh(deaf, { orphanGraceSeconds });
    const leaves = await shim.prepare();
    const isDeleted = `until ! [ -e '${leaves}' ]; do sleep 0.01; done`;
    await shim.start(["/bin/sh", "-c", `echo up; ${isDeleted}; exit 3`], leaves, { orphanGraceSeconds });
    for (const folder of [reads, stubborn, leaves]) {
      await shim.said(folder, "up");
      rmSync(folder, { recursive: true, maxRetries: 10 }); // its watchdog may be writing there
    }
    for (const folder of [reads, stubborn, leaves]) {
      await shim.empty(folder);
      expect(existsSync(folder)).toBe(false);
    }
  });

  test.concurrent("a run whose folder is renamed goes on", async () => {
    await using shim = runs();
    const folder = await shim.sh("echo up; read -r line", { orphanGraceSeconds: 2 });
    await shim.said(folder, "up");
    await until(() => existsSync(join(folder, "seen")), "the watchdog watches");
    const renamed = `${folder}-renamed`;
    renameSync(folder, renamed);
    for (let times = 0; times < 2; times++) {
      const { mtimeMs } = statSync(join(renamed, "seen"));
      await until(() => statSync(join(renamed, "seen")).mtimeMs > mtimeMs, "the watchdog looks again");
    }
    await putLine(renamed, "bye");
    expect(await shim.ended(renamed)).toEqual({ code: 0, stop: null });
  });

  test
    .runIf(level === "group")
    .concurrent("when the shim was killed and the folder deleted, nothing stays either", async () => {
      await using shim = runs();
      const folder = await shim.sh("echo up; sleep 60", { orphanGraceSeconds: 2 });
      const agent = await shim.born(folder);
      await until(() => existsSync(join(folder, "seen")), "the watchdog watches");
      process.kill(parentOf(agent.pid), "SIGKILL");
      rmSync(folder, { recursive: true, maxRetries: 10 });
      await shim.empty(folder);
      expect(isAlive(agent)).toBe(false);
    });
});
