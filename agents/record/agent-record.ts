/**
 * A long-lived agent at rest: its descriptor, state, history and inbox, each kept on disk before anybody acts on it. It
 * starts nothing by itself: the worker above it does, and whoever wants something of the agent posts into its inbox.
 */
import { SerialQueue } from "../../files/locks/serial-queue.ts";
import { keepUnreadable, readDescriptor, writeDescriptor, writeState } from "../../journal/agents/agent-files.ts";
import { AgentHistory } from "../../journal/agents/agent-history.ts";
import { AgentInbox } from "../../journal/agents/agent-inbox.ts";
import { failpoint } from "../../proc/programs/failpoint.ts";
import type { AgentDescriptor, AgentState, HistoryRecord, InboxItem } from "../../protocol/agents/agent-files.ts";
import { Channel } from "../../protocol/agents/channel.ts";
import type { AgentDeps } from "./agent-deps.ts";
import { digest, quarantineNow, readStateOrFresh } from "./unreadable-files.ts";

/** The other agents, as far as an agent is concerned with them. */
export type AgentIndex = {
  get: (id: string) => AgentRecord | undefined;
  /** The sub-agents that an agent has sent off. */
  tasksOf: (parent: string) => AgentRecord[];
  /** The agents that speak to somebody who isn't an owner in a room. */
  agentsFor: (type: string, channelId: string, userId: string) => AgentRecord[];
  /** Tokens that the answers to a sender have used today, and those to all strangers. */
  tokensOfStrangers: (type: string, userId: string) => { own: number; all: number };
};

export class AgentRecord implements Disposable {
  readonly descriptor: AgentDescriptor;
  readonly history: AgentHistory;
  readonly inbox: AgentInbox;
  readonly deps: AgentDeps;
  readonly index: AgentIndex;
  #state: AgentState;
  readonly #saves = new SerialQueue();
  /** Whether a turn of it is being made, and isn't kept yet. */
  isBeginning = false;
  /** The run that summarises its conversation, while there is one. */
  summary: { readonly runId: string; isUnwanted: boolean } | null = null;
  /** Notices for its user of what was lost with files that were put away. */
  readonly losses: string[] = [];

  private constructor(deps: AgentDeps, index: AgentIndex, descriptor: AgentDescriptor, state: AgentState) {
    this.deps = deps;
    this.index = index;
    this.descriptor = descriptor;
    this.#state = state;
    this.history = new AgentHistory(deps.journal, descriptor.id);
    this.inbox = new AgentInbox(deps.journal, descriptor.id);
  }

  /** Makes a new one, or completes one that a crash left half made. */
  static async create(
    deps: AgentDeps,
    index: AgentIndex,
    descriptor: AgentDescriptor,
    more: Partial<AgentState> = {},
  ): Promise<AgentRecord> {
    const { created } = descriptor;
    keepUnreadable(deps.journal, descriptor.id);
    const state = { ...freshState(created), ...more };
    await writeState(deps.journal, descriptor.id, state);
    // Last: with it the agent is there.
    await writeDescriptor(deps.journal, descriptor);
    const agent = new AgentRecord(deps, index, descriptor, state);
    await agent.history.append({ type: "start", ts: created, id: `start-${created}` });
    failpoint("agent-made");
    deps.publishEvent(descriptor.id, "created", { kind: descriptor.kind });
    return agent;
  }

  /** @throws Error when its files can't be read */
  static async open(deps: AgentDeps, index: AgentIndex, id: string): Promise<AgentRecord> {
    const descriptor = readDescriptor(deps.journal, id);
    const { created } = descriptor;
    const { state, isFresh } = await readStateOrFresh(deps, descriptor, () => freshState(created));
    const agent = new AgentRecord(deps, index, descriptor, state);
    if (isFresh) await agent.#beginAnew();
    await agent.#quarantineUnreadableLines();
    const [first] = agent.history.records;
    if (!first) await agent.history.append({ type: "start", ts: created, id: `start-${created}` });
    // A crash came between the history's new begin and the note of it.
    else if (first.type !== "start" && isBefore(agent.state, beginOf(first)))
      await agent.update({ last_run: undefined, has_memory_index: false });
    return agent;
  }

  /** Resets the conversation: its state is lost, and with it the run to continue from. */
  async #beginAnew(): Promise<void> {
    const ts = Date.now();
    const last = this.history.records.findLast((record) => record.type === "user" && record["channel"] !== undefined);
    const channel = Channel.safeParse(last?.["channel"]).data;
    await this.history.append({ type: "reset", ts, id: `reset-${ts}`, reason: "its state couldn't be read" });
    await this.update({ conversation: ts, ...(channel && { last_channel: channel }) });
    this.losses.push("What I knew of our conversation can't be read any more: it begins anew.");
  }

  async #quarantineUnreadableLines(): Promise<void> {
    const { unreadable } = this.inbox;
    if (unreadable.length === 0) return;
    const count = unreadable.length;
    for (const line of unreadable)
      await quarantineNow(
        this.deps,
        `${this.id}:inbox:${digest(line)}`,
        new Error("a line of inbox.jsonl that isn't an item"),
        { bytes: line },
      );
    await this.inbox.renew();
    this.losses.push(`${count} lines of what waited for me couldn't be read.`);
    this.deps.log.error({ agent: this.id, lines: count }, "unreadable lines of an inbox were put away");
  }

  get id(): string {
    return this.descriptor.id;
  }

  get state(): Readonly<AgentState> {
    return this.#state;
  }

  /** The agent that has sent it off, where there is one that can be read. */
  get parent(): AgentRecord | undefined {
    const { parent } = this.descriptor;
    return parent === undefined ? undefined : this.index.get(parent);
  }

  /** The sub-agents that it has sent off. */
  get tasks(): AgentRecord[] {
    return this.index.tasksOf(this.id);
  }

  /** The agents that speak to the same person, who isn't an owner, in the other threads of the room. */
  get otherThreads(): AgentRecord[] {
    const { kind, connector = "", channelId = "", userId = "" } = this.descriptor;
    if (kind !== "user") return [];
    return this.index.agentsFor(connector, channelId, userId).filter((other) => other !== this);
  }

  /** Whether a turn is under way or due. */
  get hasWork(): boolean {
    return this.#state.turn !== null || this.inbox.waiting.some(({ silent }) => !silent);
  }

  /** Changes its state. Resolves when that lasts. */
  async update(change: Partial<AgentState>): Promise<void> {
    this.#state = { ...this.#state, ...change, updated: Date.now() };
    const state = this.#state;
    await this.#saves.run(() => (state === this.#state ? writeState(this.deps.journal, this.id, state) : undefined));
    // A later change that overtook this one is what was written, or is being.
    if (state !== this.#state) await this.#saves.idle();
  }

  /** Puts an item into its inbox, for its worker. Resolves, when it lasts, with whether it is new. */
  async post(item: InboxItem): Promise<boolean> {
    return this.deps.messages.post(this.id, item);
  }

  [Symbol.dispose](): void {
    this.history[Symbol.dispose]();
    this.inbox[Symbol.dispose]();
  }
}

/** When a conversation began: one that was summed up within a run, with that run. */
const beginOf = ({ ts, run_id }: HistoryRecord) => (run_id === undefined ? ts : Number(run_id));

/** Whether all that a state tells of belongs to a conversation from before this time. */
function isBefore({ last_run, turn }: AgentState, ts: number): boolean {
  const latest = Math.max(Number(last_run ?? 0), Number(turn?.run_id ?? 0));
  return latest > 0 && latest < ts;
}

const freshState = (created: number): AgentState => ({
  lifecycle: "active",
  provider: {},
  permissions: [],
  created,
  updated: created,
  context_tokens: 0,
  has_memory_index: false,
  turn: null,
});
