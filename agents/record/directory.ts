/** Directory of the agents of a journal, found by what identifies them. One that can't be read disturbs no other. */
import { agentFolder, listAgents } from "../../journal/agents/agent-files.ts";
import { isMachineFault } from "../../files/errors/machine-fault.ts";
import { isStranger } from "../../journal/channels/known-people.ts";
import type { InboxLoad } from "../../journal/agents/agent-inbox.ts";
import type { AgentState } from "../../protocol/agents/agent-files.ts";
import { type AgentIndex, AgentRecord } from "./agent-record.ts";
import { agentIdOf, type AgentKey, descriptorOf } from "./agent-id.ts";
import type { AgentDeps } from "./agent-deps.ts";
import { tokensToday } from "./daily-usage.ts";

export class AgentDirectory implements AgentIndex, Disposable {
  readonly #deps: AgentDeps;
  readonly #agents = new Map<string, AgentRecord>();
  readonly #making = new Map<string, Promise<AgentRecord>>();
  /** The ids of those that couldn't be opened. */
  readonly unreadable: string[] = [];

  constructor(deps: AgentDeps) {
    this.#deps = deps;
  }

  /** Opens all agents of the journal. */
  async open(): Promise<void> {
    const { journal, log, quarantine } = this.#deps;
    for (const id of listAgents(journal))
      try {
        this.#agents.set(id, await AgentRecord.open(this.#deps, this, id));
        quarantine.succeeded(`${id}:files`);
      } catch (error) {
        log.error(
          { agent: id, path: agentFolder(journal, id), err: error },
          "an agent can't be read: the others go on",
        );
        if (!isMachineFault(error))
          await quarantine.failed(`${id}:files`, error, { leaveFile: agentFolder(journal, id) });
        this.unreadable.push(id);
      }
  }

  /** The sub-agents that an agent has sent off. */
  tasksOf(parent: string): AgentRecord[] {
    return this.all.filter(({ descriptor }) => descriptor.parent === parent);
  }

  get all(): AgentRecord[] {
    return [...this.#agents.values()];
  }

  /** The agents that speak to somebody who isn't an owner in a room: more than one where threads have agents. */
  agentsFor(type: string, channelId: string, userId: string): AgentRecord[] {
    return this.all.filter(({ descriptor: one }) => {
      const isThere = one.connector === type && one.channelId === channelId;
      return isThere && one.userId === userId && one.kind === "user";
    });
  }

  /** Tokens that the answers to a sender have used today, and those to all strangers. */
  tokensOfStrangers(type: string, userId: string): { own: number; all: number } {
    const { settings, timeZone } = this.#deps;
    const { channels } = settings();
    let [own, all] = [0, 0];
    for (const { descriptor, state } of this.#agents.values()) {
      const { kind, connector = "", userId: whose = "" } = descriptor;
      if (kind !== "user" || !isStranger({ type: connector, userId: whose }, new Set(), channels)) continue;
      const tokens = tokensToday(state, timeZone);
      all += tokens;
      if (connector === type && whose === userId) own += tokens;
    }
    return { own, all };
  }

  /** Count and size of the items from a type of channel that wait in all inboxes. */
  waitingFrom(type: string): InboxLoad {
    const loads = this.all.map(({ inbox }) => inbox.waitingFrom(type));
    return {
      items: loads.reduce((sum, { items }) => sum + items, 0),
      bytes: loads.reduce((sum, { bytes }) => sum + bytes, 0),
    };
  }

  get(id: string): AgentRecord | undefined {
    return this.#agents.get(id);
  }

  /** The agent whose turn this run is. */
  ofRun(runId: string): AgentRecord | undefined {
    return this.all.find(({ state }) => state.turn?.run_id === runId);
  }

  /** Finds the agent that a key identifies, or makes it. */
  async findOrCreate(key: AgentKey, more?: Partial<AgentState>): Promise<AgentRecord> {
    const id = agentIdOf(key);
    const known = this.#agents.get(id) ?? this.#making.get(id);
    if (known) return known;
    const making = AgentRecord.create(this.#deps, this, descriptorOf(key, Date.now()), more);
    this.#making.set(id, making);
    try {
      const agent = await making;
      this.#agents.set(id, agent);
      return agent;
    } finally {
      this.#making.delete(id);
    }
  }

  /** The agent to whom an owner spoke last. What goes there is nobody else's business. */
  get foreground(): AgentRecord | undefined {
    return this.all
      .filter(({ descriptor: { kind } }) => kind === "main")
      .toSorted((a, b) => (b.state.last_user_message ?? 0) - (a.state.last_user_message ?? 0))[0];
  }

  [Symbol.dispose](): void {
    for (const agent of this.#agents.values()) agent[Symbol.dispose]();
  }
}
