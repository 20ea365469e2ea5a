/**
 * The worker of a long-lived agent: takes in what is posted, and answers one turn after the other. The record keeps what it
 * does before anybody hears of it, so that after a crash the same turn goes on.
 */
import { setTimeout as delay } from "node:timers/promises";
import { isAway } from "../bus/runs/ask-again.ts";
import { isMachineFault } from "../files/errors/machine-fault.ts";
import { failpoint } from "../proc/programs/failpoint.ts";
import type { InboxItem } from "../protocol/agents/agent-files.ts";
import { applyMode } from "./apply-mode.ts";
import { beginAnew } from "./record/begin-anew.ts";
import type { AgentRecord } from "./record/agent-record.ts";
import { cancelSummary, cancelTurn } from "./record/cancel-turn.ts";
import { compactIfLarge, roomOfModel } from "./turns/compaction.ts";
import { recordsOf } from "./inbox/format-messages.ts";
import { nextTurnOf } from "./inbox/next-turn.ts";
import { hasSlot, waitersFor } from "./tasks/task-slots.ts";
import { abandonTurn } from "./turns/abandon-turn.ts";
import { beginTurn, runTurn, keepCancelledTurn } from "./turns/turn.ts";
import { nameConversation } from "./turns/title.ts";
import { itemsThatFit } from "./turns/turn-size.ts";

/** Wait before the next try of a turn that failed because of us, not of its run: after the first failure, and at most. */
const retryMs = 2000;
const longestRetryMs = 30_000;

export class AgentWorker implements Disposable {
  readonly agent: AgentRecord;
  readonly #startOther: (agent: AgentRecord) => void;
  #isAtWork = false;
  /** A turn is under way or begins, or work during which none may. */
  #isBusy = false;
  #isClosed = false;
  /** The quarantine's key of the work that failed last, while it is tried again. */
  #failedKey: string | null = null;
  #wake = () => {};

  /** @param startOther starts the worker of another agent, unless it works already */
  constructor(agent: AgentRecord, startOther: (agent: AgentRecord) => void) {
    this.agent = agent;
    this.#startOther = startOther;
  }

  /** Puts an item into the inbox. Resolves, when it lasts, with whether it is new; a known one changes nothing. */
  async post(item: InboxItem): Promise<boolean> {
    const { agent } = this;
    const isNew = await agent.inbox.add(item);
    if (!isNew) {
      this.start(); // what was to follow may have failed the first time
      return false;
    }
    failpoint("item-taken-in");
    agent.deps.publishEvent(agent.id, "message", {
      type: item.type,
      item: item.id,
      ...(item.silent && { silent: true }),
    });
    if (item.silent && !agent.state.turn) await agent.history.append(...recordsOf([item]));
    if (item.type === "user" && item.channel)
      await agent.update({ last_user_message: item.ts, last_channel: item.channel });
    await applyMode(agent, item);
    this.start();
    return true;
  }

  /** Begins to work on the inbox, unless it does already. */
  start(): void {
    this.#wake();
    if (this.#isAtWork || this.#isClosed) return;
    this.#isAtWork = true;
    void this.#workWithRetries();
  }

  /**
   * Ends what the agent does, and what it was about to do: a turn, or the summary before one. What waits behind that is its
   * next turn's. Resolves, when its end is sure, with whether there was anything.
   */
  async stop(): Promise<boolean> {
    if (await cancelTurn(this.agent)) return true;
    const wasSummarising = cancelSummary(this.agent);
    const items = this.#nextItems();
    if (items.length > 0) await keepCancelledTurn(this.agent, items);
    this.start();
    return wasSummarising || items.length > 0;
  }

  /** Begins the conversation anew: what waits is dropped, and what runs is ended. */
  async reset(reason = "asked"): Promise<void> {
    const { agent } = this;
    const items = agent.inbox.waiting.map(({ id }) => id);
    await agent.inbox.settleItems(items);
    // Only now: a turn that had not quite begun has, or finds nothing to answer any more.
    await cancelTurn(agent);
    cancelSummary(agent);
    await beginAnew(agent, reason);
    agent.deps.publishEvent(agent.id, "reset", { reason, items });
  }

  /** Does work during which no turn may be under way, nor begin. Null: one is under way. */
  async runBetweenTurns<T>(work: () => Promise<T>): Promise<T | null> {
    if (this.#isBusy || this.agent.state.turn) return null;
    try {
      return await this.#busyWith(work);
    } finally {
      this.#wake();
    }
  }

  async #workWithRetries(): Promise<void> {
    const { id, deps } = this.agent;
    let failures = 0;
    while (this.#isAtWork)
      try {
        await this.#work(() => {
          failures = 0;
          if (this.#failedKey !== null) deps.quarantine.succeeded(this.#failedKey);
          this.#failedKey = null;
        });
      } catch (error) {
        if (this.#isClosed) return;
        deps.log.error({ agent: id, err: error }, "an agent's turn failed within cortex");
        await this.#countFailure(error).catch((err: unknown) =>
          deps.log.error({ agent: id, err }, "a failed turn couldn't be put away; it is tried again"),
        );
        await this.#pause(Math.min(retryMs * 2 ** failures++, longestRetryMs));
      }
  }

  /** Counts a failure of the work at hand, and puts it away at the third. Failures of the disk or the bus don't count. */
  async #countFailure(error: unknown): Promise<void> {
    if (isAway(error) || isMachineFault(error)) return;
    const { id, deps, inbox, state } = this.agent;
    const { turn } = state;
    const items = turn ? inbox.waiting.filter((item) => turn.items.includes(item.id)) : this.#nextItems();
    const key = `${id}:${turn?.run_id ?? items[0]?.id ?? "nothing"}`;
    const bytes = JSON.stringify({ turn, items });
    this.#failedKey = key;
    const messages = items.map(({ id: item }) => item);
    if ((await deps.quarantine.failed(key, error, { bytes, messages })) === "retry") return;
    this.#failedKey = null;
    await abandonTurn(this.agent, items, error);
  }

  /** The items of the next turn, without waiting for what may yet be joined to them. */
  #nextItems(): InboxItem[] {
    const next = nextTurnOf(this.agent, Number.POSITIVE_INFINITY);
    return next && "items" in next ? next.items : [];
  }

  /** @param onProgress called whenever a turn ended */
  async #work(onProgress: () => void): Promise<void> {
    const { agent } = this;
    while (!this.#isClosed) {
      if (this.#isBusy) {
        await this.#pause(retryMs);
        continue;
      }
      const { turn } = agent.state;
      if (turn) {
        await this.#busyWith(() => runTurn(agent, turn));
        onProgress();
        this.#startQueued();
        void nameConversation(agent);
        continue;
      }
      const next = nextTurnOf(agent, Date.now());
      if (next === null) {
        const silent = agent.inbox.waiting;
        await agent.history.append(...recordsOf(silent));
        if (agent.inbox.waiting.every((item) => silent.includes(item))) break;
        continue;
      }
      if ("waitMs" in next) {
        await this.#pause(next.waitMs);
        continue;
      }
      if (!hasSlot(agent)) {
        await this.#pause(retryMs);
        continue;
      }
      const { items } = itemsThatFit(next.items, roomOfModel(agent));
      await this.#busyWith(() => summarizeAndBegin(agent, items));
      onProgress();
      this.#startQueued();
      void nameConversation(agent);
    }
    // In the same breath as the last look: what comes after it begins anew.
    this.#isAtWork = false;
  }

  /** Starts the agents that waited for its slot. */
  #startQueued(): void {
    for (const other of waitersFor(this.agent)) this.#startOther(other);
  }

  async #busyWith<T>(work: () => Promise<T>): Promise<T> {
    this.#isBusy = true;
    try {
      return await work();
    } finally {
      this.#isBusy = false;
    }
  }

  /** Waits for so long, or until something came. */
  async #pause(ms: number): Promise<void> {
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    await delay(ms, undefined, { signal: woken.signal }).catch(() => {});
    this.#wake = () => {};
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#wake();
  }
}

/** Begins a turn, behind a summary where the conversation is too large for it. */
async function summarizeAndBegin(agent: AgentRecord, items: readonly InboxItem[]): Promise<void> {
  agent.isBeginning = true;
  try {
    await compactIfLarge(agent, items);
    await beginTurn(agent, items);
  } finally {
    agent.isBeginning = false;
  }
}
