/**
 * A program's life as a total table: state × input → next state and effects. Pure: the time comes with each input.
 * Whether it is *wanted* stands apart from what it *actually* is.
 *
 * - `down`: there is no process. Where it is wanted, it waits for what it needs.
 * - `starting`: its process is being made.
 * - `up`: the process lives and isn't ready yet.
 * - `ready`: it answered, and is asked again and again.
 * - `stopping`: it, or what is left of its group, is being brought to its end, for the `cause`. Over when the group is empty.
 * - `backingOff`: it died, and is started again after a pause.
 * - `failed`: it died too often, and is tried again now and then; or it said that starting it again is of no use.
 */
import { doNotRestart } from "../../protocol/runs/exit-codes.ts";

export type State = "down" | "starting" | "up" | "ready" | "stopping" | "backingOff" | "failed";

/** Why a process is brought to its end: it died of itself, never became ready, doesn't answer, must be another, or isn't wanted. */
export type Cause = "died" | "late" | "unresponsive" | "renewed" | "unwanted";

export type Life = {
  state: State;
  wanted: boolean;
  /** Whether all that it needs is ready. */
  needsMet: boolean;
  cause: Cause | null;
  /** How far the stopping has come. `forced`: asked twice. */
  step: "none" | "asked" | "forced" | "killed";
  /** How often in a row it didn't answer. */
  misses: number;
  /** When it died, as far as that still counts. */
  deaths: number[];
  /** Deaths since it last was steady: how long the next pause is. */
  streak: number;
  /** Whether it has died too often since it last was steady. */
  hasFailed: boolean;
  /** It said not to start it again. */
  hasRefused: boolean;
  /** It isn't started before this moment; 0: at any. */
  notBefore: number;
  /** When the process that lives was started; null where there is none. */
  startedAt: number | null;
  /** Whether it has been started before, so that the next time is a restart. */
  hasBegun: boolean;
  restarts: number;
  /** When it came into its state. */
  since: number;
  /** Why it is where it is; null where nothing is to be said. */
  reason: string | null;
};

export type End = { code: number | null; signal: string | null };

export type Input = { at: number } & (
  | { type: "want" }
  | { type: "unwant"; kill: boolean }
  /** Not asked a second time, but told. */
  | { type: "force" }
  | { type: "needs"; met: boolean }
  /** A living process of an earlier supervisor was found; `unusable` says why it can't go on. */
  | { type: "found"; unusable: string | null; startedAt: number }
  | { type: "spawned" }
  | { type: "spawnFailed"; error: string }
  | { type: "probed"; answered: boolean }
  | { type: "exited"; end: End }
  /** Nothing of it is left, not in its group either. */
  | { type: "gone" }
  | { type: "timer" }
  /** Another process must take its place. */
  | { type: "renew"; reason: string }
  /** What was wrong may have been mended. */
  | { type: "retry" }
);
/** An input before its time is known. */
export type Said<I = Input> = I extends Input ? Omit<I, "at"> : never;
type InputOf<T extends Input["type"]> = Extract<Input, { type: T }>;

/** What is told to whoever listens. */
export type Told =
  | "started"
  | "adopted"
  | "ready"
  | "unresponsive"
  | "stopping"
  | "exited"
  | "stopped"
  | "backing_off"
  | "failed";

export type Effect =
  | { do: "spawn" }
  /** Asks whether it answers, after a while; `null`: as often as the program wants to be asked. */
  | { do: "probe"; afterMs: number | null }
  /** `polite`: the program's own signal for a stop; `yield`: the one for making way to another of its kind. To the program alone. */
  | { do: "signal"; how: "polite" | "again" | "yield" }
  | { do: "signalGroup"; signal: "SIGTERM" | "SIGKILL" }
  /** The one timer of the life. A change of state ends it. `grace`: the program's own; `shortGrace`: that, or less. */
  | { do: "timer"; afterMs: number | "grace" | "shortGrace" }
  /** Says `gone` when the group is empty. */
  | { do: "awaitGone" }
  | { do: "tell"; event: Told };

export type Next = { life: Life; effects: Effect[] };

/** How long a program waits before it is started again: the first time not at all. */
export const pausesMs = [0, 1000, 2000, 5000];
/** A program that was up this long is forgiven its former deaths. */
export const steadyMs = 60_000;
/** So many deaths within so long, and it has failed. */
export const maxDeaths = 10;
export const deathWindowMs = 120_000;
/** How often one that has failed is tried again. */
export const retryFailedMs = 300_000;
/** How long it may take to become ready. */
export const readyWithinMs = 30_000;
export const readinessEveryMs = 20;
/** How often it may not answer in a row. */
export const maxMisses = 3;
/** How long a program that doesn't answer, or is forced, has at most between its signal and KILL. */
export const shortGraceMs = 5000;
/** How long those whom a program left behind in its group have between TERM and KILL. */
export const leftoversMs = 1000;
/** A kill is repeated while something is left. */
export const killAgainMs = 1000;

type Row = { [T in Input["type"]]: (life: Life, input: InputOf<T>) => Next };

const stay = (life: Life): Next => ({ life, effects: [] });

/** What is the same in most states. */
const common: Row = {
  want: (life) => stay({ ...life, wanted: true }),
  unwant: (life) => stay({ ...life, wanted: false }),
  force: stay,
  needs: (life, { met }) => stay({ ...life, needsMet: met }),
  found: stay,
  spawned: stay,
  spawnFailed: stay,
  probed: stay,
  exited: stay,
  gone: stay,
  timer: stay,
  renew: stay,
  retry: stay,
};

const table: Record<State, Row> = {
  down: {
    ...common,
    want: (life, { at }) => startIfPossible({ ...life, wanted: true }, at),
    needs: (life, { met, at }) => startIfPossible({ ...life, needsMet: met }, at),
    found: takeUp,
    retry: (life, { at }) => startIfPossible(forgiven(life), at),
  },
  starting: {
    ...common,
    spawned: (life, { at }) => {
      const born = { ...life, startedAt: at };
      const told: Effect = { do: "tell", event: "started" };
      if (!life.wanted) return stop(born, at, "unwanted", life.reason, "polite", "grace", [told]);
      return watch(born, at, [told]);
    },
    spawnFailed: (life, { at, error }) => died(life, at, error),
    // It was no longer wanted before there was a process.
    gone: (life, { at }) => down(life, at),
  },
  up: {
    ...alive(),
    probed: (life, { at, answered }) =>
      answered
        ? enter({ ...life, misses: 0, reason: null }, "ready", at, [
            { do: "tell", event: "ready" },
            { do: "probe", afterMs: null },
          ])
        : { life, effects: [{ do: "probe", afterMs: readinessEveryMs }] },
    timer: (life, { at }) =>
      stop(life, at, "late", `wasn't ready within ${readyWithinMs / 1000} s`, "yield", "shortGrace"),
  },
  ready: { ...alive(), probed: heard },
  stopping: {
    ...common,
    unwant: (life, { kill }) =>
      kill ? killNow({ ...life, wanted: false }) : stay({ ...life, wanted: false, cause: "unwanted" }),
    force: (life) =>
      life.step === "asked"
        ? {
            life: { ...life, step: "forced" },
            effects: [
              { do: "signal", how: "again" },
              { do: "timer", afterMs: "shortGrace" },
            ],
          }
        : killNow(life),
    timer: killNow,
    exited: (life, { end }) => ({
      life: { ...life, ...(life.cause === "unwanted" || life.cause === "renewed" ? {} : verdict(life, end)) },
      effects: [...clearGroup, { do: "tell", event: "exited" }],
    }),
    gone: afterwards,
  },
  backingOff: {
    ...common,
    unwant: (life, { at }) => down({ ...life, wanted: false }, at),
    timer: (life, { at }) => startOrWait(life, at),
    retry: (life, { at }) => startOrWait(forgiven(life), at),
  },
  failed: {
    ...common,
    unwant: (life, { at }) => down({ ...life, wanted: false }, at),
    timer: (life, { at }) => startOrWait(life, at),
    retry: (life, { at }) => startOrWait(forgiven(life), at),
  },
};

/** What a program's life is next. */
export function next<T extends Input["type"]>(life: Life, input: InputOf<T>): Next {
  return table[life.state][input.type as T](life, input);
}

/** What is remembered from one supervisor to the next, so that killing it forgives nothing. */
export type Memory = Pick<Life, "deaths" | "streak" | "hasFailed" | "notBefore" | "restarts" | "reason">;

/** A life before anything was wanted. */
export function newLife(at: number, memory?: Memory): Life {
  const fresh: Life = {
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

/** A living process: it can be stopped, and its end is noticed. */
function alive(): Row {
  return {
    ...common,
    unwant: (life, { at, kill }) => {
      const next = stop({ ...life, wanted: false }, at, "unwanted", null, "polite", "grace");
      return kill ? killNow(next.life) : next;
    },
    exited: (life, { at, end }) => {
      const dying = enter({ ...life, cause: "died", step: "asked", ...verdict(life, end) }, "stopping", at, clearGroup);
      return { ...dying, effects: [...dying.effects, { do: "tell", event: "exited" }] };
    },
    renew: (life, { at, reason }) => stop(life, at, "renewed", reason, "yield", "grace"),
  };
}

function enter(life: Life, state: State, at: number, effects: Effect[]): Next {
  return { life: { ...life, state, since: at }, effects };
}

/** The leader has gone: what it left in its group is told to go, and is killed when it doesn't. */
const clearGroup: Effect[] = [
  { do: "signalGroup", signal: "SIGTERM" },
  { do: "timer", afterMs: leftoversMs },
  { do: "awaitGone" },
];

/** What an end says about the program. */
function verdict({ cause, reason }: Life, { code, signal }: End): Pick<Life, "reason" | "hasRefused"> {
  if (code === doNotRestart)
    return { hasRefused: true, reason: `exited with code ${code}: starting it again is of no use` };
  if (cause === "late" || cause === "unresponsive") return { hasRefused: false, reason };
  const how = signal ? `was ended by ${signal}` : code === null ? "ended, nobody saw how" : `exited with code ${code}`;
  return { hasRefused: false, reason: how };
}

function startIfPossible(life: Life, at: number): Next {
  if (!life.wanted) return stay(life);
  // Remembered from an earlier supervisor.
  if (life.notBefore > at) return pause(life, at, life.notBefore - at);
  return life.needsMet ? begin(life, at) : stay(life);
}

function startOrWait(life: Life, at: number): Next {
  return life.needsMet ? begin(life, at) : enter({ ...life, notBefore: 0 }, "down", at, []);
}

function begin(life: Life, at: number): Next {
  const restarts = life.restarts + (life.hasBegun ? 1 : 0);
  const begun = { ...life, restarts, hasBegun: true, startedAt: null, hasRefused: false, notBefore: 0 };
  return enter(begun, "starting", at, [{ do: "spawn" }]);
}

/** A process is there: it is asked until it is ready. */
function watch(life: Life, at: number, effects: Effect[]): Next {
  const asking: Effect[] = [
    { do: "timer", afterMs: readyWithinMs },
    { do: "probe", afterMs: 0 },
  ];
  return enter({ ...life, cause: null, step: "none", misses: 0 }, "up", at, [...effects, ...asking]);
}

function takeUp(life: Life, { at, unusable, startedAt }: InputOf<"found">): Next {
  // Whoever started it wanted it.
  const found = { ...life, wanted: true, startedAt, hasBegun: true, notBefore: 0 };
  const told: Effect = { do: "tell", event: "adopted" };
  return unusable === null ? watch(found, at, [told]) : stop(found, at, "renewed", unusable, "yield", "grace");
}

function heard(life: Life, { at, answered }: InputOf<"probed">): Next {
  const again: Effect = { do: "probe", afterMs: null };
  if (answered) return { life: isSteady(life, at) ? forgiven(life) : { ...life, misses: 0 }, effects: [again] };
  const misses = life.misses + 1;
  if (misses < maxMisses) return { life: { ...life, misses }, effects: [again] };
  const told: Effect = { do: "tell", event: "unresponsive" };
  return stop({ ...life, misses }, at, "unresponsive", `didn't answer ${misses} times`, "yield", "shortGrace", [told]);
}

function stop(
  life: Life,
  at: number,
  cause: Cause,
  reason: string | null,
  how: "polite" | "yield",
  grace: "grace" | "shortGrace",
  told: Effect[] = [],
): Next {
  const effects: Effect[] = [
    ...told,
    { do: "tell", event: "stopping" },
    { do: "signal", how },
    { do: "timer", afterMs: grace },
  ];
  return enter({ ...life, cause, reason, step: "asked" }, "stopping", at, effects);
}

function killNow(life: Life): Next {
  const effects: Effect[] = [
    { do: "signalGroup", signal: "SIGKILL" },
    { do: "timer", afterMs: killAgainMs },
  ];
  return { life: { ...life, step: "killed" }, effects };
}

/** Nothing is left: what comes next. */
function afterwards(life: Life, { at }: { at: number }): Next {
  if (!life.wanted) return down(life, at);
  if (life.cause === "renewed" || life.cause === "unwanted")
    return startOrWait({ ...life, step: "none", cause: null }, at);
  return died(life, at, life.reason ?? "ended");
}

function died(life: Life, at: number, reason: string): Next {
  // What it needs is away: it couldn't help it, and waits.
  if (life.wanted && !life.needsMet && !life.hasRefused)
    return enter({ ...life, cause: null, step: "none", misses: 0, reason }, "down", at, []);
  const before = isSteady(life, at) ? forgiven(life) : life;
  const deaths = [...before.deaths.filter((death) => at - death < deathWindowMs && death <= at), at].slice(-maxDeaths);
  const dead: Life = {
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
  return pause(
    dead,
    at,
    dead.hasFailed ? retryFailedMs : (pausesMs[Math.min(before.streak, pausesMs.length - 1)] ?? 0),
  );
}

/** Waits before the next start; for one that said so, until somebody thinks otherwise. */
function pause(life: Life, at: number, ms: number): Next {
  if (life.hasRefused) return enter({ ...life, notBefore: 0 }, "failed", at, [{ do: "tell", event: "failed" }]);
  const event = life.hasFailed ? "failed" : "backing_off";
  const effects: Effect[] = [
    { do: "timer", afterMs: ms },
    { do: "tell", event },
  ];
  return enter({ ...life, notBefore: at + ms }, life.hasFailed ? "failed" : "backingOff", at, effects);
}

/** Stopped because nobody wants it: its next start is a new one. */
function down(life: Life, at: number): Next {
  const clean = { ...forgiven(life), cause: null, step: "none", reason: null } as const;
  return enter(clean, "down", at, [{ do: "tell", event: "stopped" }]);
}

function isSteady({ startedAt }: Life, at: number): boolean {
  return startedAt !== null && at - startedAt >= steadyMs;
}

function forgiven(life: Life): Life {
  return { ...life, deaths: [], streak: 0, hasFailed: false, hasRefused: false, notBefore: 0, misses: 0 };
}
