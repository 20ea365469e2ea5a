/** The transitions of a program's life: what follows from a start, a probe, a stop and an end. Pure. */
import { doNotRestart } from "../../protocol/runs/exit-codes.ts";
import type {
  InputOf,
  ProcessEnd,
  ProgramEffect,
  ProgramLife,
  LifeState,
  StopCause,
  Transition,
} from "./program-life.ts";
import {
  deathWindowMs,
  killAgainMs,
  maxDeaths,
  maxMisses,
  orphanGraceMs,
  pausesMs,
  readyWithinMs,
  retryFailedMs,
  steadyMs,
} from "./program-timings.ts";

export const stay = (life: ProgramLife): Transition => ({ life, effects: [] });

function enter(life: ProgramLife, state: LifeState, at: number, effects: ProgramEffect[]): Transition {
  return { life: { ...life, state, since: at }, effects };
}

/** Starts a program that is wanted, once its needs are met and its pause is over. */
export function start(life: ProgramLife, at: number): Transition {
  if (!life.wanted) return stay(life);
  // Remembered from an earlier supervisor.
  if (life.notBefore > at) return pause(life, at, life.notBefore - at);
  return life.needsMet ? spawn(life, at) : stay(life);
}

/** Starts it again, or has it wait for its needs. */
export function restart(life: ProgramLife, at: number): Transition {
  return life.needsMet ? spawn(life, at) : enter({ ...life, notBefore: 0 }, "down", at, []);
}

function spawn(life: ProgramLife, at: number): Transition {
  const restarts = life.restarts + (life.hasBegun ? 1 : 0);
  const begun = { ...life, restarts, hasBegun: true, startedAt: null, hasRefused: false, notBefore: 0 };
  return enter(begun, "starting", at, [{ do: "spawn" }]);
}

/** The process is there. It is stopped at once where it is no longer wanted. */
export function begun(life: ProgramLife, at: number): Transition {
  const born = { ...life, startedAt: at };
  const started: ProgramEffect = { do: "announce", event: "started" };
  if (!life.wanted) return stop(born, at, "unwanted", life.reason, "polite", "grace", [started]);
  return watch(born, at, [started]);
}

/** Adopts a living process of an earlier supervisor, or stops it where it can't go on. */
export function adoptFound(life: ProgramLife, { at, unusable, startedAt }: InputOf<"found">): Transition {
  // The earlier supervisor wanted it.
  const found = { ...life, wanted: true, startedAt, hasBegun: true, notBefore: 0 };
  const adopted: ProgramEffect = { do: "announce", event: "adopted" };
  return unusable === null ? watch(found, at, [adopted]) : stop(found, at, "renewed", unusable, "yield", "grace");
}

/** Probes a process until it is ready. */
function watch(life: ProgramLife, at: number, effects: ProgramEffect[]): Transition {
  const probing: ProgramEffect[] = [
    { do: "timer", afterMs: readyWithinMs },
    { do: "probe", afterMs: 0 },
  ];
  return enter({ ...life, cause: null, step: "none", misses: 0 }, "up", at, [...effects, ...probing]);
}

/** The first answer of a process. */
export function readied(life: ProgramLife, at: number): Transition {
  return enter({ ...life, misses: 0, reason: null }, "ready", at, [
    { do: "announce", event: "ready" },
    { do: "probe", afterMs: null },
  ]);
}

/** A probe of a ready process: forgives a steady one, stops one that missed too many. */
export function answered(life: ProgramLife, input: InputOf<"probed">): Transition {
  const { at } = input;
  const again: ProgramEffect = { do: "probe", afterMs: null };
  if (input.answered) return { life: isSteady(life, at) ? forgiven(life) : { ...life, misses: 0 }, effects: [again] };
  const misses = life.misses + 1;
  if (misses < maxMisses) return { life: { ...life, misses }, effects: [again] };
  const silent: ProgramEffect = { do: "announce", event: "unresponsive" };
  return stop({ ...life, misses }, at, "unresponsive", `didn't answer ${misses} times`, "yield", "shortGrace", [
    silent,
  ]);
}

/** A stop of a living process that is no longer wanted. */
export function unwantedAlive(life: ProgramLife, input: InputOf<"unwant">): Transition {
  const stopping = stop({ ...life, wanted: false }, input.at, "unwanted", null, "polite", "grace");
  return input.kill ? kill(stopping.life) : stopping;
}

export function stop(
  life: ProgramLife,
  at: number,
  cause: StopCause,
  reason: string | null,
  how: "polite" | "yield",
  grace: "grace" | "shortGrace",
  announced: ProgramEffect[] = [],
): Transition {
  const effects: ProgramEffect[] = [
    ...announced,
    { do: "announce", event: "stopping" },
    { do: "signal", how },
    { do: "timer", afterMs: grace },
  ];
  return enter({ ...life, cause, reason, step: "asked" }, "stopping", at, effects);
}

/** Asks a stopping process again; the next time it is killed. */
export function force(life: ProgramLife): Transition {
  if (life.step !== "asked") return kill(life);
  const effects: ProgramEffect[] = [
    { do: "signal", how: "again" },
    { do: "timer", afterMs: "shortGrace" },
  ];
  return { life: { ...life, step: "forced" }, effects };
}

export function kill(life: ProgramLife): Transition {
  const effects: ProgramEffect[] = [
    { do: "signalGroup", signal: "SIGKILL" },
    { do: "timer", afterMs: killAgainMs },
  ];
  return { life: { ...life, step: "killed" }, effects };
}

/** The process has exited: the orphans in its group are asked to go, and killed when they don't. */
const clearGroup: ProgramEffect[] = [
  { do: "signalGroup", signal: "SIGTERM" },
  { do: "timer", afterMs: orphanGraceMs },
  { do: "awaitGone" },
];

/** The end of a process that nobody asked to stop. */
export function dyingOf(life: ProgramLife, { at, end }: InputOf<"exited">): Transition {
  return enter({ ...life, cause: "died", step: "asked", ...verdict(life, end) }, "stopping", at, [
    ...clearGroup,
    { do: "announce", event: "exited" },
  ]);
}

/** The end of a process that was asked to stop. */
export function endedWhileStopping(life: ProgramLife, { end }: InputOf<"exited">): Transition {
  const isOnPurpose = life.cause === "unwanted" || life.cause === "renewed";
  return {
    life: { ...life, ...(isOnPurpose ? {} : verdict(life, end)) },
    effects: [...clearGroup, { do: "announce", event: "exited" }],
  };
}

/** The reason of an end, and whether the program refuses to be started again. */
function verdict(
  { cause, reason }: ProgramLife,
  { code, signal }: ProcessEnd,
): Pick<ProgramLife, "reason" | "hasRefused"> {
  if (code === doNotRestart)
    return { hasRefused: true, reason: `exited with code ${code}: starting it again is of no use` };
  if (cause === "late" || cause === "unresponsive") return { hasRefused: false, reason };
  const how = signal
    ? `was ended by ${signal}`
    : code === null
      ? "ended in an unknown way"
      : `exited with code ${code}`;
  return { hasRefused: false, reason: how };
}

/** The group is empty: the program is down, is started again, or has died. */
export function continueStop(life: ProgramLife, { at }: { at: number }): Transition {
  if (!life.wanted) return down(life, at);
  if (life.cause === "renewed" || life.cause === "unwanted") return restart({ ...life, step: "none", cause: null }, at);
  return died(life, at, life.reason ?? "ended");
}

/** Counts a death, and pauses before the next start. */
export function died(life: ProgramLife, at: number, reason: string): Transition {
  // A program that it needs is away: the death isn't its fault, and it waits.
  if (life.wanted && !life.needsMet && !life.hasRefused)
    return enter({ ...life, cause: null, step: "none", misses: 0, reason }, "down", at, []);
  const before = isSteady(life, at) ? forgiven(life) : life;
  const deaths = [...before.deaths.filter((death) => at - death < deathWindowMs && death <= at), at].slice(-maxDeaths);
  const dead: ProgramLife = {
    ...before,
    deaths,
    streak: before.streak + 1,
    hasFailed: before.hasFailed || deaths.length >= maxDeaths,
    hasRefused: life.hasRefused,
    reason,
    cause: null,
    step: "none",
    misses: 0,
  };
  if (!dead.wanted) return down(dead, at);
  const pauseMs = dead.hasFailed ? retryFailedMs : (pausesMs[Math.min(before.streak, pausesMs.length - 1)] ?? 0);
  return pause(dead, at, pauseMs);
}

/** Waits before the next start. A program that refused waits until its fault may have been repaired. */
function pause(life: ProgramLife, at: number, ms: number): Transition {
  if (life.hasRefused) return enter({ ...life, notBefore: 0 }, "failed", at, [{ do: "announce", event: "failed" }]);
  const event = life.hasFailed ? "failed" : "backing_off";
  const effects: ProgramEffect[] = [
    { do: "timer", afterMs: ms },
    { do: "announce", event },
  ];
  return enter({ ...life, notBefore: at + ms }, life.hasFailed ? "failed" : "backingOff", at, effects);
}

/** A stop because nobody wants it: the next start begins anew. */
export function down(life: ProgramLife, at: number): Transition {
  const clean = { ...forgiven(life), cause: null, step: "none", reason: null } as const;
  return enter(clean, "down", at, [{ do: "announce", event: "stopped" }]);
}

function isSteady({ startedAt }: ProgramLife, at: number): boolean {
  return startedAt !== null && at - startedAt >= steadyMs;
}

/** A life whose former deaths no longer count. */
export function forgiven(life: ProgramLife): ProgramLife {
  return { ...life, deaths: [], streak: 0, hasFailed: false, hasRefused: false, notBefore: 0, misses: 0 };
}
