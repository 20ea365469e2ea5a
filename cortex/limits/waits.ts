/** When a run waited for a person, as its file tells: so long its clocks stand still. */
import type { EventBody } from "../../protocol/runs/event.ts";

type Timed = EventBody & { ts: number };

type Question = { args: unknown; call: string | undefined };

export class Waits {
  /** The questions that nobody has answered, and those that somebody has, each with its arguments as the file shows them. */
  readonly #open = new Map<string, Question>();
  readonly #decided = new Map<string, Question>();
  /** Questions of tasks for which the run waits. */
  readonly #ofTasks = new Set<string>();
  readonly #spans: { from: number; to: number }[] = [];
  #since: number | null = null;
  /** Calls that somebody was asked about, and that haven't ended. */
  readonly #calls = new Set<string>();

  /** Takes the next event of the file. */
  add(event: Timed): void {
    this.#noteEvent(event);
    if (this.isOpen) this.#since ??= event.ts;
    else if (this.#since !== null) {
      this.#spans.push({ from: this.#since, to: event.ts });
      this.#since = null;
    }
  }

  #noteEvent(event: Timed): void {
    const { id, call_id } = event;
    const call = typeof call_id === "string" ? call_id : undefined;
    if (event.event === "tool_end" && call !== undefined) this.#callEnded(call);
    if (typeof id !== "string") return;
    if (event.event === "clocks_stopped") this.#ofTasks.add(id);
    if (event.event === "clocks_resumed") this.#ofTasks.delete(id);
    if (event.event === "permission" && !this.isKnown(id)) {
      if (call !== undefined) this.#calls.add(call);
      this.#open.set(id, { args: event["args"], call });
    }
    if (event.event === "permission_decided") this.#decide(id);
  }

  /** A call that has ended waits for nobody, whatever was asked about it. */
  #callEnded(call: string): void {
    this.#calls.delete(call);
    for (const [id, question] of this.#open) if (question.call === call) this.#decide(id);
  }

  #decide(id: string): void {
    const question = this.#open.get(id);
    if (!question) return;
    this.#decided.set(id, question);
    this.#open.delete(id);
  }

  /** Whether somebody is waited for now. */
  get isOpen(): boolean {
    return this.#open.size > 0 || this.#ofTasks.size > 0;
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

  /** Whether the clocks stand still for a task's question. */
  isOfTask(id: string): boolean {
    return this.#ofTasks.has(id);
  }

  /** The questions of tasks for which they stand still. */
  get ofTasks(): string[] {
    return [...this.#ofTasks];
  }

  /** The arguments of a question, as the file shows them. */
  argsOf(id: string): unknown {
    return (this.#open.get(id) ?? this.#decided.get(id))?.args;
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
