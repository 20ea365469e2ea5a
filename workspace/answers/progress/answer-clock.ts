/**
 * The clock of an answer: it runs from its run's `start` on, right before the first model call, by the times of the run's events,
 * so that it says the same after a restart. It stands still while the provider's rate limit or a person is waited for. Pure.
 */
import type { AgentEvent } from "../../../protocol/runs/event.ts";

/** The status of a provider that asks to come back later. */
const tooManyRequests = 429;

export class AnswerClock {
  readonly #limitMs: number;
  /** Milliseconds that earlier spans have used. */
  #usedMs = 0;
  /** Since when it runs; null while it stands still. */
  #runsFrom: number | null = null;
  /** Until when it stands still for a rate limit. */
  #waitsUntil: number | null = null;
  /** The questions that people haven't answered. */
  readonly #questions = new Set<string>();

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** Until when a rate limit is waited for, at a time. */
  waitsUntil(now: number): number | null {
    return this.#waitsUntil !== null && this.#waitsUntil > now ? this.#waitsUntil : null;
  }

  /** Whether a person is waited for. */
  get isForPerson(): boolean {
    return this.#questions.size > 0;
  }

  apply(event: AgentEvent): void {
    const { event: name, ts, id } = event;
    if (name === "start") this.#runsFrom ??= ts;
    if (name === "retry" && event["status"] === tooManyRequests) this.#waitUntil(ts, ts + Number(event["delay_ms"]));
    if (typeof id !== "string") return;
    if (name === "permission" || name === "clocks_stopped") {
      if (this.#questions.size === 0) this.#usedMs = this.usedMs(ts);
      this.#questions.add(id);
    }
    if (name === "permission_decided" || name === "clocks_resumed") {
      if (this.#questions.delete(id) && this.#questions.size === 0 && this.#runsFrom !== null) this.#runsFrom = ts;
    }
  }

  #waitUntil(from: number, until: number): void {
    if (this.#runsFrom === null || this.#questions.size > 0) return;
    this.#usedMs = this.usedMs(from);
    // It goes on by itself when the wait is over.
    this.#runsFrom = until;
    this.#waitsUntil = until;
  }

  /** Counts the milliseconds that the answer has used by a time. */
  usedMs(now: number): number {
    if (this.#runsFrom === null || this.#questions.size > 0) return this.#usedMs;
    return this.#usedMs + Math.max(0, now - this.#runsFrom);
  }

  isOver(now: number): boolean {
    return this.usedMs(now) >= this.#limitMs;
  }

  /** The run has ended; another one goes on for the same answer. */
  pause(now: number): void {
    this.#usedMs = this.usedMs(now);
    this.#runsFrom = null;
    this.#waitsUntil = null;
    this.#questions.clear();
  }
}
