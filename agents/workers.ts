/** The workers of all agents: one for each record, made when it is needed first. */
import type { InboxItem } from "../protocol/agents/agent-files.ts";
import type { AgentRecord } from "./record/agent-record.ts";
import type { AgentDirectory } from "./record/directory.ts";
import { deliverPendingInput } from "./tasks/tasks.ts";
import { nameConversation } from "./turns/title.ts";
import { AgentWorker } from "./worker.ts";

export class AgentWorkers implements Disposable {
  readonly #directory: AgentDirectory;
  readonly #workers = new Map<string, AgentWorker>();

  constructor(directory: AgentDirectory) {
    this.#directory = directory;
  }

  of(agent: AgentRecord): AgentWorker {
    const worker = this.#workers.get(agent.id) ?? new AgentWorker(agent, (other) => this.of(other).start());
    this.#workers.set(agent.id, worker);
    return worker;
  }

  /** @throws Error when there is no such agent */
  async post(agentId: string, item: InboxItem): Promise<boolean> {
    const agent = this.#directory.get(agentId);
    if (!agent) throw new Error(`there is no agent ${agentId}`);
    return this.of(agent).post(item);
  }

  /** Goes on with what was under way, and tells tasks what a crash left untold. */
  start(): void {
    for (const agent of this.#directory.all) if (agent.hasWork) this.of(agent).start();
    for (const agent of this.#directory.all) if (agent.state.naming?.request) void nameConversation(agent);
    for (const agent of this.#directory.all)
      deliverPendingInput(agent).catch((error: unknown) =>
        agent.deps.log.error({ agent: agent.id, err: error }, "a task can't be told what it is to do"),
      );
  }

  [Symbol.dispose](): void {
    for (const worker of this.#workers.values()) worker[Symbol.dispose]();
  }
}
