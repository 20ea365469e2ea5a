/** The names of long-lived agents, for the rows of their runs. A task's run has the name of the agent that sent it off. */
import { type OwningAgent, owningAgents } from "../../../journal/agents/owning-agent.ts";

/** A name that was changed is seen after so long, in ms. */
const freshMs = 5000;

export class AgentNames {
  readonly #journal: string;
  #find: (agent: string) => OwningAgent | null;
  #readAt = performance.now();

  constructor(journal: string) {
    this.#journal = journal;
    this.#find = owningAgents(journal);
  }

  /** Null: none, or none that can be read. */
  of(agent: string | null): string | null {
    if (agent === null) return null;
    if (performance.now() - this.#readAt > freshMs) {
      this.#find = owningAgents(this.#journal);
      this.#readAt = performance.now();
    }
    return this.#find(agent)?.name ?? null;
  }
}
