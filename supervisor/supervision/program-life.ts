/** A program's life as data: its states, its inputs, and the effects that a transition asks for. */

/**
 * - `down`: there is no process. Where it is wanted, it waits for what it needs.
 * - `starting`: its process is being made.
 * - `up`: the process lives and isn't ready yet.
 * - `ready`: it answered, and is asked again and again.
 * - `stopping`: its group is being brought to an end, for the `cause`. Over when the group is empty.
 * - `backingOff`: it died, and is started again after a pause.
 * - `failed`: it died too often, and is tried again now and then; or it said that starting it again is of no use.
 */
export type LifeState = "down" | "starting" | "up" | "ready" | "stopping" | "backingOff" | "failed";

/** Why a process is brought to its end: it died of itself, never became ready, doesn't answer, must be another, or isn't wanted. */
export type StopCause = "died" | "late" | "unresponsive" | "renewed" | "unwanted";

/** The whole state of the machine. Whether a program is *wanted* stands apart from what it *actually* is. */
export type ProgramLife = {
  state: LifeState;
  wanted: boolean;
  /** Whether all programs that it needs are ready. */
  needsMet: boolean;
  cause: StopCause | null;
  /** How far the stopping has come. `forced`: asked twice. */
  step: "none" | "asked" | "forced" | "killed";
  /** Unanswered probes in a row. */
  misses: number;
  /** Times of death, as far as they still count. */
  deaths: number[];
  /** Deaths since it last was steady: the length of the next pause. */
  streak: number;
  /** Whether it has died too often since it last was steady. */
  hasFailed: boolean;
  /** Whether it asked not to be started again. */
  hasRefused: boolean;
  /** Earliest time of the next start; 0: any. */
  notBefore: number;
  /** Start of the living process; null where there is none. */
  startedAt: number | null;
  /** Whether it has been started before, so that the next start is a restart. */
  hasBegun: boolean;
  restarts: number;
  /** When it entered its state. */
  since: number;
  /** Why it is in its state; null where there is nothing to say. */
  reason: string | null;
};

/** The part of a life that outlives its supervisor, so that killing that one forgives nothing. */
export type ProgramMemory = Pick<ProgramLife, "deaths" | "streak" | "hasFailed" | "notBefore" | "restarts" | "reason">;

export type ProcessEnd = { code: number | null; signal: string | null };

/** An input of the machine, with its time. */
export type ProgramInput = { at: number } & (
  | { type: "want" }
  | { type: "unwant"; kill: boolean }
  /** A second request to stop. */
  | { type: "force" }
  | { type: "needs"; met: boolean }
  /** A living process of an earlier supervisor; `unusable` says why it can't go on. */
  | { type: "found"; unusable: string | null; startedAt: number }
  | { type: "spawned" }
  | { type: "spawnFailed"; error: string }
  | { type: "probed"; answered: boolean }
  | { type: "exited"; end: ProcessEnd }
  /** The group of the process is empty. */
  | { type: "gone" }
  | { type: "timer" }
  /** Another process must take its place. */
  | { type: "renew"; reason: string }
  /** The fault may have been repaired. */
  | { type: "retry" }
);
export type InputType = ProgramInput["type"];
export type InputOf<T extends InputType> = Extract<ProgramInput, { type: T }>;

/** An input before its time is known. */
export type UntimedInput<I = ProgramInput> = I extends ProgramInput ? Omit<I, "at"> : never;

/** A change that is announced to listeners. */
export type Announcement =
  | "started"
  | "adopted"
  | "ready"
  | "unresponsive"
  | "stopping"
  | "exited"
  | "stopped"
  | "backing_off"
  | "failed";

export type ProgramEffect =
  | { do: "spawn" }
  /** Asks whether it answers, after a while; `null`: as often as the program wants to be asked. */
  | { do: "probe"; afterMs: number | null }
  /** `polite`: the program's own signal for a stop; `yield`: the one for making way to another of its kind. To the program alone. */
  | { do: "signal"; how: "polite" | "again" | "yield" }
  | { do: "signalGroup"; signal: "SIGTERM" | "SIGKILL" }
  /** Sets the one timer of the life. A change of state ends it. `grace`: the program's own; `shortGrace`: that, or less. */
  | { do: "timer"; afterMs: number | "grace" | "shortGrace" }
  /** Inputs `gone` when the group is empty. */
  | { do: "awaitGone" }
  | { do: "announce"; event: Announcement }
  /** Reports an input that can't come in this state: a bug of the caller. */
  | { do: "reportImpossible" };

export type Transition = { life: ProgramLife; effects: ProgramEffect[] };

/** A life before anything was wanted. */
export function newLife(at: number, memory?: ProgramMemory): ProgramLife {
  const fresh: ProgramLife = {
    state: "down",
    wanted: false,
    needsMet: false,
    cause: null,
    step: "none",
    misses: 0,
    deaths: [],
    streak: 0,
    hasFailed: false,
    hasRefused: false,
    notBefore: 0,
    startedAt: null,
    hasBegun: false,
    restarts: 0,
    since: at,
    reason: null,
  };
  return { ...fresh, ...memory };
}
