/**
 * Two workers on a bus, killed with -9 by turns: each request is done once. `CHAOS_RUNS=500` for as many; from 200 on a worker
 * also stays away for so long, now and then, that it is lost, and what it had goes on as the other's next attempt.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isTerminal } from "../../protocol/runs/event.ts";
import { CortexSystem } from "../support/cortex-system.ts";
import { effectsAgent, effectsIn, repeated } from "../support/workers/effects.ts";
import { killByTurns } from "../support/workers/kill-by-turns.ts";
import { Worker } from "../support/workers/worker.ts";
import { Engine } from "../simulation/engine.ts";
import { programsOf } from "./chaos-system.ts";
import { problemsOf } from "./invariants.ts";

const runs = Number(process.env["CHAOS_RUNS"] ?? 60);
const seed = Number(process.env["CHAOS_SEED"] ?? Date.now() % 1_000_000);
const isLong = runs >= 200;

const leaseSeconds = 1;
/** Longer than the lease, what it holds by it, and the longest that its runs live on without it. */
const lostMs = 25_000;
/** Each that stays away so long costs a run that it had an attempt. */
const lostEvery = 8;
const everyMs = isLong ? 3000 : 1000;

test(`seed ${seed}: ${runs} requests, two workers killed with -9 by turns: each finishes once`, {
  timeout: 300_000 + runs * 3000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), "cortex-effects-"));
  const engine = new Engine(seed);
  const roll = () => engine.random();
  const effects = join(folder, "effects");
  const settings = {
    max_concurrent: 3,
    max_attempts: 20,
    lease_seconds: leaseSeconds,
    orphan_grace_seconds: isLong ? 2 : 20,
    default_backend: "short",
    backends: {
      short: { command: effectsAgent(effects, 0.1) },
      long: { command: effectsAgent(effects, isLong ? 3 : 1) },
    },
  };
  try {
    await using system = await CortexSystem.start({ settings });
    await using worker = await Worker.start(system, settings);
    const ids = Array.from({ length: runs }, (_, number) =>
      system.request({ prompt: "work", backend: number % 3 === 0 ? "long" : "short" }),
    );
    let turn = 0;
    const killing = killByTurns(
      [
        { kill: () => system.killCortex(), start: () => system.startCortex() },
        { kill: () => worker.end("SIGKILL"), start: () => worker.start() },
      ],
      { everyMs, roll, downMs: () => (isLong && ++turn % lostEvery === 0 ? lostMs : roll() * 2500 * leaseSeconds) },
    );
    const unended = new Set(ids);
    const hasEnded = () => {
      for (const id of unended) if (system.of(id).some(isTerminal)) unended.delete(id);
      return unended.size === 0;
    };
    await system.until(hasEnded, "all have ended", 120_000 + runs * 2000).catch(async (error: unknown) => {
      await killing.stop();
      throw error;
    });
    const kills = await killing.stop();

    let problems: string[] = [];
    const isRight = async () => (problems = await problemsOf(system, ids, programsOf(system))).length === 0;
    await system.until(isRight, "nothing is wrong").catch(() => {});
    expect(problems).toEqual([]);
    expect(
      ids.flatMap((id) =>
        system
          .file(id)
          .filter(isTerminal)
          .map(({ event }) => event),
      ),
    ).toEqual(ids.map(() => "finish"));
    const { starts, done } = effectsIn(effects);
    expect(repeated(starts), "no attempt was started twice").toEqual([]);
    expect([...done.keys()].toSorted(), "the work of each was done").toEqual(ids);
    // One whose worker was lost may have been at its end.
    if (!isLong) expect(repeated(done), "none was done twice").toEqual([]);
    const there = ids.filter((id) => worker.file(id).length > 0).length;
    const again = [...starts.keys()].filter((name) => !name.endsWith("/1")).length;
    process.stdout.write(
      `chaos, seed ${seed}: ${runs} runs, ${there} of them elsewhere, ${kills} workers killed, ${again} attempts lost with one\n`,
    );
    expect(kills).toBeGreaterThan(1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
