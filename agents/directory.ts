/** All agents of a journal: who there is, found by what identifies them; one that can't be read disturbs no other. */
import { agentFolder, listAgents, readDescriptor } from "../journal/agents/agent-files.ts";
import { isMachineFault } from "../files/machine-fault.ts";
import { isStranger } from "../journal/channels/known-people.ts";
import type { Load } from "../journal/agents/agent-inbox.ts";
import type { AgentState, InboxItem } from "../protocol/agents/agent-files.ts";
import { Agent } from "./agent.ts";
import { agentIdOf, type AgentKey, descriptorOf } from "./agent-id.ts";
import type { AgentHost } from "./host.ts";
import { tellOwed } from "./tasks.ts";
import { tokensToday } from "./spent-today.ts";

export class Directory implements Disposable {
  readonly #host: AgentHost;
  readonly #agents = new Map<string, Agent>();
  readonly #making = new Map<string, Promise<Agent>>();

  constructor(host: AgentHost) {
    this.#host = host;
  }

  /** Opens all that there are. */
  async open(): Promise<void> {
    const { journal, log, quarantine } = this.#host;
    for (const id of listAgents(journal))
      try {
        this.#agents.set(id, await Agent.open(this.#host, id));
        quarantine.succeeded(`${id}:files`);
      } catch (error) {
        log.error(
          { agent: id, path: agentFolder(journal, id), err: error },
          "an agent can't be read: the others go on",
        );
        if (!isMachineFault(error))
          await quarantine.failed(`${id}:files`, error, { leaveFile: agentFolder(journal, id) });
        this.#tellParent(id);
      }
  }

  /** Begins to work on what was left. */
  start(): void {
    for (const agent of this.#agents.values()) if (agent.hasWork) agent.start();
    // Those that were made or resumed, and never told what for.
    for (const agent of this.#agents.values())
      tellOwed(agent).catch((error: unknown) =>
        this.#host.log.error({ agent: agent.id, err: error }, "a task can't be told what it is to do"),
      );
  }

  /** The sub-agents that an agent has sent off. */
  tasksOf(parent: string): Agent[] {
    return this.all.filter(({ descriptor }) => descriptor.parent === parent);
  }

  get all(): Agent[] {
    return [...this.#agents.values()];
  }

  /** Tokens that the answers to a sender have used today, and those to all whom nobody knows. */
  tokensOfStrangers(type: string, userId: string): { own: number; all: number } {
    const { settings, timeZone } = this.#host;
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

  /** How much waits in all inboxes that came from a type of channel. */
  waitingFrom(type: string): Load {
    const loads = this.all.map(({ inbox }) => inbox.waitingFrom(type));
    return {
      items: loads.reduce((sum, { items }) => sum + items, 0),
      bytes: loads.reduce((sum, { bytes }) => sum + bytes, 0),
    };
  }

  get(id: string): Agent | undefined {
    return this.#agents.get(id);
  }

  /** The one whose turn this run is. */
  ofRun(runId: string): Agent | undefined {
    return this.all.find(({ state }) => state.turn?.run_id === runId);
  }

  /** The agent that this identifies; made if there is none. */
  async find(key: AgentKey, more?: Partial<AgentState>): Promise<Agent> {
    const id = agentIdOf(key);
    const known = this.#agents.get(id) ?? this.#making.get(id);
    if (known) return known;
    const making = Agent.create(this.#host, descriptorOf(key, Date.now()), more);
    this.#making.set(id, making);
    try {
      const agent = await making;
      this.#agents.set(id, agent);
      return agent;
    } finally {
      this.#making.delete(id);
    }
  }

  /** @throws Error when there is no such agent */
  async post(id: string, item: InboxItem): Promise<void> {
    const agent = this.#agents.get(id);
    if (!agent) throw new Error(`there is no agent ${id}`);
    await agent.post(item);
  }

  /** The one to whom an owner spoke last. What goes there is nobody else's business. */
  get foreground(): Agent | undefined {
    return this.all
      .filter(({ descriptor: { kind } }) => kind === "main")
      .toSorted((a, b) => (b.state.last_user_message ?? 0) - (a.state.last_user_message ?? 0))[0];
  }

  /** A sub-agent that can't be read any more has failed, too. */
  #tellParent(id: string): void {
    try {
      const { parent, name = "" } = readDescriptor(this.#host.journal, id);
      if (parent === undefined) return;
      const text = `[Task ${id} failed] ${name}\n\nits files can't be read`;
      this.#broken.push({
        parent,
        item: { id: `task-${id}-unreadable`, ts: Date.now(), type: "system", origin: `task:${id}`, text },
      });
    } catch {
      // Nobody knows whose it was.
    }
  }

  readonly #broken: { parent: string; item: InboxItem }[] = [];

  /** Tells users what was lost of their agents' files, and those who wait for agents that can't be read. */
  async tellOfBroken(): Promise<void> {
    for (const { id, losses, state } of this.#agents.values())
      if (losses.length > 0 && state.last_channel)
        await this.#host
          .say(
            `lost-${id}-${state.updated}`,
            state.last_channel,
            `${losses.splice(0).join(" ")} What couldn't be read was put away: cortex quarantine shows it.`,
          )
          .catch((error: unknown) =>
            this.#host.log.error({ agent: id, err: error }, "nobody could be told what was lost of an agent"),
          );
    for (const { parent, item } of this.#broken.splice(0)) {
      const agent = this.get(parent);
      // How it ended was told before: one end is enough.
      if (!agent || agent.inbox.knowsAny(item.id.replace(/unreadable$/, ""))) continue;
      await agent.post(item);
    }
  }

  [Symbol.dispose](): void {
    for (const agent of this.#agents.values()) agent[Symbol.dispose]();
  }
}
