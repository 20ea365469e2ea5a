/**
 * Brings a run's events from the order in which the bus has them into that of its file. On the bus one may come twice, or
 * late, since what was lost on the way is published again; and what a worker said after it had lost the run is void. Pure.
 */
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { isLate } from "./event-message.ts";

/** An event as it came: its text, and how often its run had changed hands. */
export type HeardEvent = { event: AgentEvent; line: string; epoch: number };

/** The numbers of lines that are missing: from the first up to, not including, the last. */
export type Gap = { from: number; to: number };

export class EventOrder {
  #next: number;
  #newest = 0;
  #characters = 0;
  readonly #held = new Map<number, HeardEvent>();

  /** @param from the number of the first line that is wanted */
  constructor(from: number) {
    this.#next = from;
  }

  /** The number of the line that comes next. */
  get next(): number {
    return this.#next;
  }

  /** How much is held back, in characters. */
  get size(): number {
    return this.#characters;
  }

  add(heard: HeardEvent): void {
    const { event, epoch } = heard;
    if (isLate(epoch, this.#newest)) return;
    // Whoever took the run over goes on from what it knew of it: what else was said from there on stands in no file.
    if (epoch > this.#newest)
      for (const [seq, { epoch: before }] of this.#held) if (seq >= event.seq && before < epoch) this.#drop(seq);
    this.#newest = Math.max(epoch, this.#newest);
    if (event.seq < this.#next || this.#held.has(event.seq)) return;
    this.#held.set(event.seq, heard);
    this.#characters += heard.line.length;
  }

  /** The line that comes next, if it is there. It is handed out once. */
  takeNext(): HeardEvent | null {
    const found = this.#held.get(this.#next);
    if (!found) return null;
    this.#drop(this.#next++);
    return found;
  }

  /** Finds the lines that are missing before the first one that is held back. Null: none are. */
  gap(): Gap | null {
    if (this.#held.size === 0 || this.#held.has(this.#next)) return null;
    return { from: this.#next, to: Math.min(...this.#held.keys()) };
  }

  /** The lines before this one came another way, or never will. */
  skipTo(seq: number): void {
    for (const held of this.#held.keys()) if (held < seq) this.#drop(held);
    this.#next = Math.max(this.#next, seq);
  }

  #drop(seq: number): void {
    this.#characters -= this.#held.get(seq)?.line.length ?? 0;
    this.#held.delete(seq);
  }
}
