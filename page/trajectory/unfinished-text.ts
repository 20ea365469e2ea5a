/**
 * The text of a message that isn't whole: pieces, `text` with `partial: true`, until the whole takes their place or a retry voids
 * them. The rule of `protocol/runs/unfinished-text.ts`. Pure.
 */
import type { RunEvent } from "./step.ts";
import { textOf } from "../words/json/read-json.ts";

export class UnfinishedText {
  /** The text of model calls that were cut off, and are gone on with. */
  #ofFormerCalls = "";
  #ofThisCall = "";

  get text(): string {
    return this.#ofFormerCalls + this.#ofThisCall;
  }

  /** Takes the next event. Returns what was said of a message that will never be whole, where this event says so; else "". */
  apply(event: RunEvent): string {
    const isEnd = event.event === "error" && event["terminal"] !== false;
    if (event.event === "text" && event["partial"] === true) this.#ofThisCall += textOf(event["text"]);
    else if (event.event === "text" || event.event === "finish") this.#clear();
    else if (event.event === "retry") this.#ofThisCall = "";
    else if (event.event === "cut_off") {
      this.#ofFormerCalls = this.text;
      this.#ofThisCall = "";
    } else if (event.event === "start" || event.event === "tool_start" || isEnd) return this.#clear();
    return "";
  }

  #clear(): string {
    const { text } = this;
    this.#ofFormerCalls = this.#ofThisCall = "";
    return text.trim() === "" ? "" : text;
  }
}
