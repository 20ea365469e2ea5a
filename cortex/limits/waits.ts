/** When a run waited for a person, as its file tells: so long its clocks stand still. */
import type { EventBody } from "../../protocol/runs/event.ts";

type Timed = EventBody & { ts: number };

export class Waits {
  /** The questions that nobody has answered, and those that somebody has, each with its arguments as the file shows them. */
  readonly #open = new Map<string, unknown>();
  readonly #decided = new Map<string, unknown>();
  readonly #spans: { from: number; to: number }[] = [];
  #since: number | null = null;
  /** Calls that somebody was asked about, and that haven't ended. */
  readonly #calls = new Set<string>();

  /** Takes the next event of the file. */
  add(event: Timed): void {
    const { id, call_id: call, ts } = event;
    if (event.event === "tool_end" && typeof call === "string") this.#calls.delete(call);
    if (typeof id !== "string") return;
    if (event.event === "permission" && !this.isKnown(id)) {
      if (typeof call === "string") this.#calls.add(call);
      this.#open.set(id, event["args"]);
      this.#since ??= ts;
    }
    if (event.event !== "permission_decided" || !this.#open.has(id)) return;
    this.#decided.set(id, this.#open.get(id));
    this.#open.delete(id);
    if (this.#open.size > 0 || this.#since === null) return;
    this.#spans.push({ from: this.#since, to: ts });
    this.#since = null;
  }

  /** Whether somebody is waited for now. */
  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  /** The calls that are made again by the next attempt. */
  get calls(): string[] {
    return [...this.#calls];
  }

  isKnown(id: string): boolean {
    return this.#open.has(id) || this.#decided.has(id);
  }

  isDecided(id: string): boolean {
    return this.#decided.has(id);
  }

  /** The arguments of a question, as the file shows them. */
  argsOf(id: string): unknown {
    return this.#open.get(id) ?? this.#decided.get(id);
  }

  /** How long of this time somebody was waited for, in ms. */
  within(from: number, to: number): number {
    const open = this.#since === null ? [] : [{ from: this.#since, to: Infinity }];
    return [...this.#spans, ...open].reduce(
      (sum, span) => sum + Math.max(0, Math.min(to, span.to) - Math.max(from, span.from)),
      0,
    );
  }
}
