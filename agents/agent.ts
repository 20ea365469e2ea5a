/**
 * An agent that lives on: takes in what is said to it, and answers one turn after the other. What it does is kept before
 * anybody hears of it, so that after a crash the same turn goes on.
 */
import { setTimeout as delay } from "node:timers/promises";
import { isAway } from "../bus/runs/ask-again.ts";
import { publishTurnInput } from "../bus/runs/control.ts";
import { messageBytes, mostMessageBytes } from "../bus/events/message-size.ts";
import { keepUnreadable, readDescriptor, writeDescriptor, writeState } from "../journal/agents/agent-files.ts";
import { AgentHistory } from "../journal/agents/agent-history.ts";
import { AgentInbox } from "../journal/agents/agent-inbox.ts";
import { reached } from "../proc/programs/durable-point.ts";
import { isMachineFault } from "../files/machine-fault.ts";
import type { AgentDescriptor, AgentState, InboxItem } from "../protocol/agents/agent-files.ts";
import { Channel } from "../protocol/agents/channel.ts";
import type { QueueMode } from "../protocol/agents/agents-settings.ts";
import { compactIfLarge, roomOfModel } from "./compaction.ts";
import { promptOf, recordsOf } from "./compose.ts";
import type { AgentHost } from "./host.ts";
import { type Next, nextTurn } from "./queue.ts";
import { beginTurn, carryOn, giveUpTurn, keepUnasked } from "./turn.ts";
import { itemsThatFit } from "./turn-size.ts";
import { digest, putAway, stateOrAnew } from "./unreadable.ts";
import { endUnwanted } from "./unwanted-turn.ts";

/** From the contract. */
const usualJoinWindowMs = 300;
/** A turn that failed because of us, not of its run, is tried again after so long: the first time, and at most. */
const againMs = 2000;
const longestAgainMs = 30_000;

export class Agent implements Disposable {
  readonly descriptor: AgentDescriptor;
  readonly history: AgentHistory;
  readonly inbox: AgentInbox;
  readonly host: AgentHost;
  #state: AgentState;
  #saved: Promise<void> = Promise.resolve();
  #isAtWork = false;
  /** A turn is under way or begins, or something for which none may. */
  #isBusy = false;
  #isClosed = false;
  /** What it is at has failed before, under this key. */
  #failedKey: string | null = null;
  /** The run that summarises its conversation. */
  summary: { readonly runId: string; isUnwanted: boolean } | null = null;
  #wake = () => {};

  private constructor(host: AgentHost, descriptor: AgentDescriptor, state: AgentState) {
    this.host = host;
    this.descriptor = descriptor;
    this.#state = state;
    this.history = new AgentHistory(host.journal, descriptor.id);
    this.inbox = new AgentInbox(host.journal, descriptor.id);
  }

  /** Makes a new one, or finds what a crash left of it. */
  static async create(host: AgentHost, descriptor: AgentDescriptor, more: Partial<AgentState> = {}): Promise<Agent> {
    const { created } = descriptor;
    keepUnreadable(host.journal, descriptor.id);
    const state = { ...freshState(created), ...more };
    await writeState(host.journal, descriptor.id, state);
    // Last: with it the agent is there.
    await writeDescriptor(host.journal, descriptor);
    const agent = new Agent(host, descriptor, state);
    await agent.history.append({ type: "start", ts: created, id: `start-${created}` });
    reached("agent made");
    host.tell(descriptor.id, "created", { kind: descriptor.kind });
    return agent;
  }

  /** @throws Error when its files can't be read */
  static async open(host: AgentHost, id: string): Promise<Agent> {
    const descriptor = readDescriptor(host.journal, id);
    const { created } = descriptor;
    const { state, isAnew } = await stateOrAnew(host, descriptor, () => freshState(created));
    const agent = new Agent(host, descriptor, state);
    if (isAnew) await agent.#beginAnew();
    await agent.#putAwayUnreadable();
    const [first] = agent.history.records;
    if (!first) await agent.history.append({ type: "start", ts: created, id: `start-${created}` });
    // A crash came between the history's new begin and the note of it.
    else if (first.type !== "start" && isBefore(agent.state, first.ts))
      await agent.update({ last_run: undefined, has_memory_index: false });
    return agent;
  }

  /** What its user is to be told, since something of its files was put away. */
  readonly losses: string[] = [];

  /** Its state is gone, and with it from where its conversation would go on. */
  async #beginAnew(): Promise<void> {
    const ts = Date.now();
    const last = this.history.records.findLast((record) => record.type === "user" && record["channel"] !== undefined);
    const channel = Channel.safeParse(last?.["channel"]).data;
    await this.history.append({ type: "reset", ts, id: `reset-${ts}`, reason: "its state couldn't be read" });
    if (channel) await this.update({ last_channel: channel });
    this.losses.push("What I knew of our conversation can't be read any more: it begins anew.");
  }

  /** Lines of its inbox that say nothing. */
  async #putAwayUnreadable(): Promise<void> {
    const { unreadable } = this.inbox;
    if (unreadable.length === 0) return;
    const count = unreadable.length;
    for (const line of unreadable)
      await putAway(this.host, `${this.id}:inbox:${digest(line)}`, new Error("a line of inbox.jsonl that is no item"), {
        bytes: line,
      });
    await this.inbox.renew();
    this.losses.push(`${count} lines of what waited for me couldn't be read.`);
    this.host.log.error({ agent: this.id, lines: count }, "what can't be read in an inbox was put away");
  }

  get id(): string {
    return this.descriptor.id;
  }

  get state(): Readonly<AgentState> {
    return this.#state;
  }

  /** Whether something is to be done. */
  get hasWork(): boolean {
    return this.#state.turn !== null || this.inbox.waiting.some(({ silent }) => !silent);
  }

  /** Changes its state. Resolves when that lasts. */
  async update(change: Partial<AgentState>): Promise<void> {
    this.#state = { ...this.#state, ...change, updated: Date.now() };
    const state = this.#state;
    const before = this.#saved;
    const now = before.then(() => (state === this.#state ? writeState(this.host.journal, this.id, state) : undefined));
    this.#saved = now.catch(() => {});
    await now;
    // A later change that overtook this one is what was written, or is being.
    if (state !== this.#state) await this.#saved;
  }

  /** Takes something in. Resolves when it lasts; what was taken in before changes nothing. */
  async post(item: InboxItem): Promise<boolean> {
    const isNew = await this.inbox.add(item);
    if (!isNew) {
      this.start(); // what was to follow may have failed the first time
      return false;
    }
    reached("item taken in");
    this.host.tell(this.id, "message", { type: item.type, item: item.id, ...(item.silent && { silent: true }) });
    if (item.silent && !this.#state.turn) await this.history.append(...recordsOf([item]));
    if (item.type === "user" && item.channel)
      await this.update({ last_user_message: item.ts, last_channel: item.channel });
    await this.#hear(item);
    this.start();
    return true;
  }

  /** Begins to work on what waits, if it doesn't yet. */
  start(): void {
    this.#wake();
    if (this.#isAtWork || this.#isClosed) return;
    this.#isAtWork = true;
    void this.#workOn();
  }

  /** Ends the running turn. What it has said stays said. Resolves with whether there is one, when its end is sure. */
  async interrupt(): Promise<boolean> {
    const { turn } = this.#state;
    if (!turn) return false;
    if (!turn.is_unwanted) await this.update({ turn: { ...turn, is_unwanted: true } });
    endUnwanted(this);
    return true;
  }

  /**
   * Ends what it does, and what it was about to do: a turn, or the summary before one. What waits behind that is its next
   * turn's. Resolves with whether there was anything, when its end is sure.
   */
  async stop(): Promise<boolean> {
    if (await this.interrupt()) return true;
    const wasSummarising = this.#endSummary();
    const items = this.#nextItems();
    if (items.length > 0) await keepUnasked(this, items);
    this.start();
    return wasSummarising || items.length > 0;
  }

  #endSummary(): boolean {
    if (!this.summary) return false;
    this.summary.isUnwanted = true;
    endUnwanted(this);
    return true;
  }

  /** Begins the conversation anew: what waits is dropped, and what runs is ended. */
  async reset(reason = "asked"): Promise<void> {
    await this.inbox.settle(this.inbox.waiting.map(({ id }) => id));
    // Only now: a turn that had not quite begun has, or finds nothing to answer any more.
    await this.interrupt();
    this.#endSummary();
    const ts = this.host.nextRunId();
    await this.history.append({ type: "reset", ts, id: `reset-${ts}`, reason });
    await this.update({ last_run: undefined, context_tokens: 0, has_memory_index: false });
    this.host.tell(this.id, "reset", { reason });
  }

  /** Does something for which no turn may be under way, nor begin meanwhile. Null: one is. */
  async alone<T>(work: () => Promise<T>): Promise<T | null> {
    if (this.#isBusy || this.#state.turn) return null;
    try {
      return await this.#busyWith(work);
    } finally {
      this.#wake();
    }
  }

  modeOf(item: InboxItem): QueueMode {
    return item.mode ?? this.host.settings().agents?.queue?.[item.channel?.type ?? ""] ?? "followup";
  }

  /** Something came while it is at work: perhaps it concerns what it does. */
  async #hear(item: InboxItem): Promise<void> {
    const { turn } = this.#state;
    if (!turn || item.type !== "user") return;
    const mode = this.modeOf(item);
    if (mode === "interrupt") await this.interrupt();
    if (mode !== "steer") return;
    const text = promptOf(recordsOf([item]));
    // What is too long for an input has a turn of its own.
    if (messageBytes({ text }) <= mostMessageBytes(this.host.bus)) publishTurnInput(this.host.bus, turn.run_id, text);
  }

  async #workOn(): Promise<void> {
    let failures = 0;
    while (this.#isAtWork)
      try {
        await this.#work(() => {
          failures = 0;
          if (this.#failedKey !== null) this.host.quarantine.succeeded(this.#failedKey);
          this.#failedKey = null;
        });
      } catch (error) {
        if (this.#isClosed) return;
        this.host.log.error({ agent: this.id, err: error }, "an agent's turn failed within cortex");
        await this.#failed(error).catch((err: unknown) =>
          this.host.log.error({ agent: this.id, err }, "what failed couldn't be put away; it is tried again"),
        );
        await this.#pause(Math.min(againMs * 2 ** failures++, longestAgainMs));
      }
  }

  /** Counts a failure of what it is at, which is put away when it fails again and again. What the disk or the bus does isn't its fault. */
  async #failed(error: unknown): Promise<void> {
    if (isAway(error) || isMachineFault(error)) return;
    const { turn } = this.#state;
    const items = turn ? this.inbox.waiting.filter(({ id }) => turn.items.includes(id)) : this.#nextItems();
    const key = `${this.id}:${turn?.run_id ?? items[0]?.id ?? "nothing"}`;
    const bytes = JSON.stringify({ turn, items });
    this.#failedKey = key;
    if ((await this.host.quarantine.failed(key, error, { bytes })) === "retry") return;
    this.#failedKey = null;
    await giveUpTurn(this, items, error);
  }

  #next(now: number): Next {
    return nextTurn(this.inbox.waiting, {
      now,
      joinWindowMs: this.host.settings().agents?.join_window_ms ?? usualJoinWindowMs,
      modeOf: (item) => this.modeOf(item),
    });
  }

  /** The items of the next turn, whatever may yet be joined to them. */
  #nextItems(): InboxItem[] {
    const next = this.#next(Number.POSITIVE_INFINITY);
    return next && "take" in next ? next.take : [];
  }

  /** @param onProgress called whenever something went well */
  async #work(onProgress: () => void): Promise<void> {
    while (!this.#isClosed) {
      if (this.#isBusy) {
        await this.#pause(againMs);
        continue;
      }
      const { turn } = this.#state;
      if (turn) {
        await this.#busyWith(() => carryOn(this, turn));
        onProgress();
        continue;
      }
      const next = this.#next(Date.now());
      if (next === null) {
        const silent = this.inbox.waiting;
        await this.history.append(...recordsOf(silent));
        if (silent.length === this.inbox.waiting.length) break;
        continue;
      }
      if ("waitMs" in next) {
        await this.#pause(next.waitMs);
        continue;
      }
      const { take } = itemsThatFit(next.take, roomOfModel(this));
      await this.#busyWith(async () => {
        await compactIfLarge(this, take);
        await beginTurn(this, take);
      });
      onProgress();
    }
    // In the same breath as the last look: what comes after it begins anew.
    this.#isAtWork = false;
  }

  async #busyWith<T>(work: () => Promise<T>): Promise<T> {
    this.#isBusy = true;
    try {
      return await work();
    } finally {
      this.#isBusy = false;
    }
  }

  /** Waits, or until something came. */
  async #pause(ms: number): Promise<void> {
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    await delay(ms, undefined, { signal: woken.signal }).catch(() => {});
    this.#wake = () => {};
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#wake();
    this.history[Symbol.dispose]();
    this.inbox[Symbol.dispose]();
  }
}

/** Whether all that a state tells of belongs to a conversation from before this time. */
function isBefore({ last_run, turn }: AgentState, ts: number): boolean {
  const latest = Math.max(Number(last_run ?? 0), Number(turn?.run_id ?? 0));
  return latest > 0 && latest < ts;
}

const freshState = (created: number): AgentState => ({
  lifecycle: "active",
  provider: {},
  permissions: [],
  asked: [],
  created,
  updated: created,
  context_tokens: 0,
  has_memory_index: false,
  turn: null,
});
