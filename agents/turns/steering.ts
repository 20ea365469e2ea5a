/**
 * Which of the messages that were said into a turn its model has heard: those are answered in it, the others get a turn of
 * their own. Cortex writes down an input when it passes it on; that may be too late for the run's last call. So what counts
 * is what the run says that it has told its model. Pure.
 */
import type { AgentEvent } from "../../protocol/runs/event.ts";

/** What a model has said: a later attempt of the run is told of it, and of all that was said before. */
const words = ["text", "thinking", "tool_start"];

export class Steered {
  /** The ids of what was heard. */
  readonly heard: string[] = [];
  /** Said to this attempt, in order. */
  #inputs: string[] = [];
  /** Said to former attempts. */
  #former: string[] = [];
  #count = 0;
  #hasBegun = false;
  #hasSpoken = false;

  /** @param id what an `input` event goes by */
  take(event: AgentEvent, id = ""): void {
    if (event.event === "input") this.#inputs.push(id);
    else if (event.event === "start") this.#again();
    else if (words.includes(event.event)) this.#hasSpoken = true;
    else if (event.event === "usage" || event.event === "finish") this.#told(event["inputs"]);
  }

  #again(): void {
    const isFirst = !this.#hasBegun;
    this.#hasBegun = true;
    if (isFirst) return;
    // Of an attempt that came to nothing but the question, the next one isn't told.
    if (this.#hasSpoken) this.#former.push(...this.#inputs.slice(this.#count));
    this.#inputs = [];
    this.#count = 0;
  }

  #told(inputs: unknown): void {
    const count = typeof inputs === "number" ? Math.max(this.#count, inputs) : this.#count;
    this.heard.push(...this.#former, ...this.#inputs.slice(this.#count, count));
    this.#former = [];
    this.#count = count;
  }
}
