/**
 * "Typing …" in the rooms of a channel: from a message that was taken to the first one that goes out in its place, and while a turn
 * for it is under way. Best effort: nothing waits for it, and where it can't be shown it isn't tried again for that message.
 */
import { isDeepStrictEqual } from "node:util";
import type { ChannelTurn } from "../../bus/agents/channel-turns.ts";
import type { Channel } from "../../protocol/agents/channel.ts";

/** The longest that a message whose turn isn't heard of shows it, in ms; and a turn whose end isn't. */
const longestWaitMs = 300_000;
const longestTurnMs = 3_600_000;
/** Places at once, and messages that are remembered. */
const mostPlaces = 100;
const mostMessages = 1000;

type TypingDeps<Sign> = {
  show: (sign: Sign) => Promise<unknown>;
  /** Takes it away. Absent: the service does so by itself, soon. */
  hide?: (sign: Sign) => Promise<unknown>;
  /** Milliseconds after which the service is to be told again. */
  everyMs: number;
  onProblem: (error: unknown) => void;
};

/** A message that was taken. @field place where its answer goes @field sign where it is shown for this one */
type Taken<Sign> = { place: Channel; sign: Sign };

type Shown<Sign> = {
  sign: Sign;
  /** Messages for which it is shown. */
  ids: Set<string>;
  until: number;
  timer: NodeJS.Timeout;
  /** Whether the service has shown it. */
  isUp: boolean;
  /** How often it was asked to. */
  asked: number;
};

export class Typing<Sign> implements Disposable {
  readonly #deps: TypingDeps<Sign>;
  readonly #taken = new Map<string, Taken<Sign>>();
  /** Messages whose turn has ended: that may be heard before the message is known to be stored. */
  readonly #over = new Set<string>();
  readonly #shown = new Map<string, Shown<Sign>>();
  /** The last call for each place: one that overtook another would leave what is over. */
  readonly #calls = new Map<string, Promise<void>>();

  constructor(deps: TypingDeps<Sign>) {
    this.#deps = deps;
  }

  /** A message was taken. Its sign takes the place of an earlier one there. */
  begin(id: string, place: Channel, sign: Sign): void {
    if (this.#over.has(id)) return;
    this.#taken.set(id, { place, sign });
    keepLatest(this.#taken, mostMessages);
    this.#begin(id, { place, sign }, longestWaitMs);
  }

  /** Something was said in a place. */
  answered(place: Channel): void {
    this.#end(keyOf(place));
  }

  /** A turn for these messages begins, or is over. */
  turned({ event, ids }: ChannelTurn): void {
    if (event === "turn_started") for (const id of ids.toReversed()) this.#turnBegan(id);
    else for (const id of ids) this.#turnEnded(id);
  }

  #turnBegan(id: string): void {
    const taken = this.#taken.get(id);
    if (!taken) return;
    const shown = this.#shown.get(keyOf(taken.place));
    if (!shown) return this.#begin(id, taken, longestTurnMs);
    shown.ids.add(id);
    shown.until = Date.now() + longestTurnMs;
  }

  #turnEnded(id: string): void {
    this.#over.add(id);
    keepLatest(this.#over, mostMessages);
    this.#taken.delete(id);
    for (const [key, { ids }] of this.#shown) if (ids.delete(id) && ids.size === 0) this.#end(key);
  }

  #begin(id: string, { place, sign }: Taken<Sign>, longestMs: number): void {
    const key = keyOf(place);
    const former = this.#shown.get(key);
    const isSame = former !== undefined && isDeepStrictEqual(former.sign, sign);
    if (!isSame) this.#end(key);
    if (!isSame && this.#shown.size >= mostPlaces) return;
    const shown = isSame ? former : this.#open(key, sign);
    for (const one of [...(former?.ids ?? []), id]) shown.ids.add(one);
    shown.until = Math.max(shown.until, Date.now() + longestMs);
    this.#show(key, shown);
  }

  #open(key: string, sign: Sign): Shown<Sign> {
    const again = () => (Date.now() < shown.until ? this.#show(key, shown) : this.#end(key));
    const timer = setInterval(again, this.#deps.everyMs).unref();
    const shown: Shown<Sign> = { sign, ids: new Set(), until: 0, timer, isUp: false, asked: 0 };
    this.#shown.set(key, shown);
    return shown;
  }

  #end(key: string): void {
    const shown = this.#shown.get(key);
    if (!shown) return;
    const { hide, onProblem } = this.#deps;
    this.#stop(key, shown);
    if (hide) this.#call(key, async () => (shown.isUp ? hide(shown.sign) : undefined), onProblem);
  }

  #stop(key: string, shown: Shown<Sign>): void {
    clearInterval(shown.timer);
    if (this.#shown.get(key) === shown) this.#shown.delete(key);
  }

  #show(key: string, shown: Shown<Sign>): void {
    const { show, onProblem } = this.#deps;
    const asked = ++shown.asked;
    const work = async () => {
      await show(shown.sign);
      shown.isUp = true;
    };
    this.#call(key, work, (error) => {
      onProblem(error);
      if (asked < shown.asked) return; // a later message has it tried again
      this.#stop(key, shown);
      for (const id of shown.ids) this.#taken.delete(id);
    });
  }

  #call(key: string, work: () => Promise<unknown>, onProblem: (error: unknown) => void): void {
    const before = this.#calls.get(key) ?? Promise.resolve();
    const done = before.then(work).then(() => {}, onProblem);
    this.#calls.set(key, done);
    void done.then(() => {
      if (this.#calls.get(key) === done) this.#calls.delete(key);
    });
  }

  /** Shows nothing more; the service takes away by itself what is shown. */
  [Symbol.dispose](): void {
    for (const { timer } of this.#shown.values()) clearInterval(timer);
    this.#shown.clear();
  }
}

const keyOf = ({ channelId, replyTo = "" }: Channel) => `${channelId} ${replyTo}`;

/** The oldest gives way. */
function keepLatest(kept: Map<string, unknown> | Set<string>, most: number): void {
  const [oldest] = kept.keys();
  if (kept.size > most && oldest !== undefined) kept.delete(oldest);
}
