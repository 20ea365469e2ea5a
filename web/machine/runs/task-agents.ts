/** The tasks of long-lived agents: who has sent off whom, and when. Read from the agents' descriptors, each once, since none changes. */
import { readdirSync } from "node:fs";
import { hasCode } from "../../../files/errors/errno.ts";
import { agentsFolder, readDescriptor } from "../../../journal/agents/agent-files.ts";

/** `at`: when it was sent off, in ms. */
export type TaskAgent = { id: string; parent: string; at: number };

export class TaskAgents {
  readonly #journal: string;
  /** Null: an agent that is no task. */
  readonly #known = new Map<string, TaskAgent | null>();

  constructor(journal: string) {
    this.#journal = journal;
  }

  /** Null: it is no task, or can't be read. */
  get(agent: string): TaskAgent | null {
    const known = this.#known.get(agent);
    if (known !== undefined) return known;
    try {
      const { id, kind, parent, created } = readDescriptor(this.#journal, agent);
      const task = kind === "subagent" && parent !== undefined ? { id, parent, at: created } : null;
      this.#known.set(agent, task);
      return task;
    } catch {
      // It is being made, or damaged: whoever asks next looks again.
      return null;
    }
  }

  /** The tasks that an agent has sent off between two moments, in ms, the oldest first. */
  sentOff(parent: string, fromMs: number, toMs: number): TaskAgent[] {
    return this.#names()
      .map((name) => this.get(name))
      .filter((task) => task !== null && task.parent === parent && task.at >= fromMs && task.at <= toMs)
      .filter((task) => task !== null)
      .toSorted((one, other) => one.at - other.at);
  }

  #names(): string[] {
    try {
      return readdirSync(agentsFolder(this.#journal));
    } catch (error) {
      if (hasCode(error, "ENOENT")) return [];
      throw error;
    }
  }
}
