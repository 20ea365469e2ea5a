/**
 * Steering: decides which inputs to a running turn have reached its model. Those are answered in it; the others get a turn of
 * their own. Cortex records an input when it passes it on, which may be too late for the run's last call, so what counts is
 * that the run says so, by the input's id (`input_taken`), or by their number where its backend knows no ids. Pure.
 */
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { textField } from "../../protocol/runs/text-field.ts";

export class Steering {
  /** Ids of the inputs that have reached the model. */
  readonly delivered: string[] = [];
  /** Inputs to this attempt, in order. */
  #inputs: string[] = [];
  /** Inputs to former attempts. */
  #former: string[] = [];
  #count = 0;
  #hasBegun = false;

  /** @param id of an `input` event */
  applyEvent(event: AgentEvent, id = ""): void {
    if (event.event === "input") this.#inputs.push(id);
    else if (event.event === "start") this.#beginAttempt();
    else if (event.event === "input_taken") this.#markTaken(textField(event, "id"));
    else if (event.event === "usage" || event.event === "finish") this.#markDelivered(event["inputs"]);
  }

  #beginAttempt(): void {
    const isFirst = !this.#hasBegun;
    this.#hasBegun = true;
    if (isFirst) return;
    this.#former.push(...this.#inputs.slice(this.#count));
    this.#inputs = [];
    this.#count = 0;
  }

  #markDelivered(inputs: unknown): void {
    const count = typeof inputs === "number" ? Math.max(this.#count, inputs) : this.#count;
    for (const id of [...this.#former, ...this.#inputs.slice(this.#count, count)]) this.#deliver(id);
    this.#former = [];
    this.#count = count;
  }

  #markTaken(id: string): void {
    if (this.#inputs.includes(id) || this.#former.includes(id)) this.#deliver(id);
  }

  #deliver(id: string): void {
    if (!this.delivered.includes(id)) this.delivered.push(id);
  }
}
