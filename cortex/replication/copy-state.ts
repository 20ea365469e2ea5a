/**
 * The state of a copy of another worker's run: state × input → next state, total and pure. `run-copies.ts` keeps the states
 * and acts on them.
 *
 * - `following`: the file has what the bus has brought. A run that nothing is known of is in this state.
 * - `waiting`: lines up to `upTo` are missing, and only the run's worker has them. Asked for since `since`.
 * - `own`: this worker holds the run and has its folder: its events are skipped without a look at the disk.
 * - `passedOver`: the run is another worker's, it seems, but a folder of this host's is still there. Events up to `seq` were
 *   left out; when the folder is gone they are fetched.
 * - `lost`: the run was this worker's own, and another has taken it over. What was left out is read from the bus.
 */
export type CopyState =
  | { is: "following" }
  | { is: "waiting"; upTo: number; since: number }
  | { is: "own" }
  | { is: "passedOver"; seq: number }
  | { is: "lost" };

export type CopyInput =
  /** This worker holds the run, and its folder is here. */
  | { type: "held" }
  /** This worker doesn't hold the run, or not any more. */
  | { type: "released" }
  /** Another worker has taken the run over. */
  | { type: "lost" }
  /** An event was left out, since the run's folder is here. */
  | { type: "leftOut"; seq: number }
  /** Lines up to `upTo` are missing, and couldn't be had at `at`. */
  | { type: "lacks"; upTo: number; at: number }
  /** The file has every line up to the last that is known. */
  | { type: "complete" };

type StateOf<S extends CopyState["is"]> = Extract<CopyState, { is: S }>;
type InputOf<T extends CopyInput["type"]> = Extract<CopyInput, { type: T }>;
/** `ignore`: the input may come, and makes no difference. `impossible`: nothing sends it in this state; it is logged. */
type Cell<S extends CopyState["is"], T extends CopyInput["type"]> =
  | ((state: StateOf<S>, input: InputOf<T>) => CopyState)
  | "ignore"
  | "impossible";
type Row<S extends CopyState["is"]> = { [T in CopyInput["type"]]: Cell<S, T> };

export const following: CopyState = { is: "following" };

const own = (): CopyState => ({ is: "own" });
const lost = (): CopyState => ({ is: "lost" });
const follow = () => following;
const passOver = (_: unknown, { seq }: InputOf<"leftOut">): CopyState => ({ is: "passedOver", seq });
const wait = (_: unknown, { upTo, at }: InputOf<"lacks">): CopyState => ({ is: "waiting", upTo, since: at });

const table: { [S in CopyState["is"]]: Row<S> } = {
  following: {
    held: own,
    released: "ignore",
    lost,
    leftOut: passOver,
    lacks: wait,
    complete: "ignore",
  },
  waiting: {
    held: own,
    released: "ignore",
    lost,
    leftOut: passOver,
    lacks: ({ upTo, since }, input) => ({ is: "waiting", upTo: Math.max(upTo, input.upTo), since }),
    complete: follow,
  },
  own: {
    held: "ignore",
    released: follow,
    lost,
    leftOut: "impossible", // it is released first
    lacks: "impossible",
    complete: "impossible",
  },
  passedOver: {
    held: own,
    released: "ignore",
    lost,
    leftOut: passOver,
    lacks: wait,
    complete: follow,
  },
  lost: {
    held: own,
    released: "ignore",
    lost: "ignore",
    leftOut: "ignore", // the bus has it
    lacks: wait,
    complete: follow,
  },
};

/** The state after an input; the same object where it changes nothing. @throws Error for an input that can't come */
export function nextCopyState(state: CopyState, input: CopyInput): CopyState {
  const cell = table[state.is][input.type] as Cell<CopyState["is"], CopyInput["type"]>;
  if (cell === "ignore") return state;
  if (cell === "impossible") throw new Error(`a copy that is "${state.is}" can't get the input "${input.type}"`);
  return cell(state as never, input as never);
}

/**
 * Whether a crash now loses nothing of the copy when the bus's events are not read again: the events that were left out are
 * known in memory alone, and a copy without a file isn't found at the start.
 */
export function isSafeAfterCrash(state: CopyState, hasFile: () => boolean): boolean {
  return state.is === "following" || state.is === "own" || (state.is === "waiting" && hasFile());
}
