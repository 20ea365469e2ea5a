/**
 * A program's life as a total table: state × input → transition. Pure: the time comes with each input. Each cell is a
 * transition; `ignore`, where the input comes and changes nothing; or `impossible`, where `supervised-program.ts` can't
 * send it: then the life stays as it is, and the input is reported. The states are described in `program-life.ts`.
 */
import type { InputOf, InputType, ProgramLife, LifeState, Transition } from "./program-life.ts";
import {
  answered,
  begun,
  continueStop,
  died,
  down,
  dyingOf,
  endedWhileStopping,
  force,
  forgiven,
  kill,
  readied,
  restart,
  start,
  stay,
  stop,
  adoptFound,
  unwantedAlive,
} from "./program-transitions.ts";
import { readinessEveryMs, readyWithinMs } from "./program-timings.ts";

type Cell<T extends InputType> = "ignore" | "impossible" | ((life: ProgramLife, input: InputOf<T>) => Transition);
type Row = { [T in InputType]: Cell<T> };

const want: Cell<"want"> = (life) => stay({ ...life, wanted: true });
const needs: Cell<"needs"> = (life, { met }) => stay({ ...life, needsMet: met });

const table: Record<LifeState, Row> = {
  down: {
    want: (life, { at }) => start({ ...life, wanted: true }, at),
    unwant: (life) => stay({ ...life, wanted: false }),
    force: "ignore",
    needs: (life, { met, at }) => start({ ...life, needsMet: met }, at),
    found: adoptFound,
    spawned: "impossible",
    spawnFailed: "impossible",
    probed: "impossible",
    exited: "impossible",
    gone: "impossible",
    timer: "impossible",
    renew: "ignore",
    retry: (life, { at }) => start(forgiven(life), at),
  },
  starting: {
    want,
    unwant: (life) => stay({ ...life, wanted: false }),
    force: "ignore",
    needs,
    found: "impossible",
    spawned: (life, { at }) => begun(life, at),
    spawnFailed: (life, { at, error }) => died(life, at, error),
    probed: "impossible",
    exited: "impossible",
    // It was no longer wanted before there was a process.
    gone: (life, { at }) => down(life, at),
    timer: "impossible",
    renew: "ignore",
    retry: "ignore",
  },
  up: {
    want,
    unwant: unwantedAlive,
    force: "ignore",
    needs,
    found: "impossible",
    spawned: "impossible",
    spawnFailed: "impossible",
    probed: (life, input) =>
      input.answered ? readied(life, input.at) : { life, effects: [{ do: "probe", afterMs: readinessEveryMs }] },
    exited: dyingOf,
    gone: "impossible",
    timer: (life, { at }) =>
      stop(life, at, "late", `wasn't ready within ${readyWithinMs / 1000} s`, "yield", "shortGrace"),
    renew: (life, { at, reason }) => stop(life, at, "renewed", reason, "yield", "grace"),
    retry: "ignore",
  },
  ready: {
    want,
    unwant: unwantedAlive,
    force: "ignore",
    needs,
    found: "impossible",
    spawned: "impossible",
    spawnFailed: "impossible",
    probed: answered,
    exited: dyingOf,
    gone: "impossible",
    timer: "impossible",
    renew: (life, { at, reason }) => stop(life, at, "renewed", reason, "yield", "grace"),
    retry: "ignore",
  },
  stopping: {
    want,
    unwant: (life, input) =>
      input.kill ? kill({ ...life, wanted: false }) : stay({ ...life, wanted: false, cause: "unwanted" }),
    force,
    needs,
    found: "impossible",
    spawned: "impossible",
    spawnFailed: "impossible",
    probed: "impossible",
    exited: endedWhileStopping,
    gone: continueStop,
    timer: kill,
    renew: "ignore",
    retry: "ignore",
  },
  backingOff: {
    want,
    unwant: (life, { at }) => down({ ...life, wanted: false }, at),
    force: "ignore",
    needs,
    found: "impossible",
    spawned: "impossible",
    spawnFailed: "impossible",
    probed: "impossible",
    exited: "impossible",
    gone: "impossible",
    timer: (life, { at }) => restart(life, at),
    renew: "ignore",
    retry: (life, { at }) => restart(forgiven(life), at),
  },
  failed: {
    want,
    unwant: (life, { at }) => down({ ...life, wanted: false }, at),
    force: "ignore",
    needs,
    found: "impossible",
    spawned: "impossible",
    spawnFailed: "impossible",
    probed: "impossible",
    exited: "impossible",
    gone: "impossible",
    timer: (life, { at }) => restart(life, at),
    renew: "ignore",
    retry: (life, { at }) => restart(forgiven(life), at),
  },
};

/** The transition of a life on an input. */
export function nextLife<T extends InputType>(life: ProgramLife, input: InputOf<T>): Transition {
  const cell: Cell<T> = table[life.state][input.type as T];
  if (cell === "ignore") return stay(life);
  if (cell === "impossible") return { life, effects: [{ do: "reportImpossible" }] };
  return cell(life, input);
}
