/** The decisions that are asked for in a conversation: read by list, and heard of one by one meanwhile. */
import type { ApiRecord } from "../../api/client.ts";

export type Decision = ApiRecord<"Decision">;

export class TalkDecisions {
  /** The open ones, and the ones that were decided while they were shown. */
  #all: readonly Decision[] = [];
  /** News since the list was asked for: the list may be older. */
  readonly #heard = new Map<string, Decision>();

  get all(): readonly Decision[] {
    return this.#all;
  }

  /** The list is asked for now. */
  ask(): void {
    this.#heard.clear();
  }

  hear(decision: Decision): void {
    this.#heard.set(decision.id, decision);
    this.#all = [...this.#all.filter(({ id }) => id !== decision.id), decision];
  }

  /** Takes the list that was asked for. What was decided stays where it was asked. */
  take(listed: readonly Decision[]): void {
    const open = [...listed.filter(({ id }) => !this.#heard.has(id)), ...this.#heard.values()].filter(isOpen);
    const ids = new Set(open.map(({ id }) => id));
    this.#all = [...this.#all.filter((decision) => !isOpen(decision) && !ids.has(decision.id)), ...open];
  }
}

const isOpen = ({ status }: Decision) => status === "open";
