/**
 * The text of a message that isn't whole yet. Its pieces, `text` with `partial: true`, are joined with nothing between
 * them. A `text` without it, or `finish`, takes their place; a `retry` voids those of its model call; and where an
 * attempt ends before that, they are all that was said. Pure.
 */
import { type EventBody, isTerminal } from "./event.ts";
import { textField } from "./text-field.ts";

export class UnfinishedText {
  /** The text of model calls that were cut off, and are gone on with. */
  #ofFormerCalls = "";
  #ofThisCall = "";

  /** The text of the message as long as it isn't whole. */
  get text(): string {
    return this.#ofFormerCalls + this.#ofThisCall;
  }

  /** Takes the next event. Returns what was said of a message that will never be whole, where this event says so; else "". */
  apply(event: EventBody): string {
    if (event.event === "text" && event["partial"] === true) this.#ofThisCall += textField(event, "text");
    else if (event.event === "text" || event.event === "finish") this.#clear();
    else if (event.event === "retry") this.#ofThisCall = "";
    else if (event.event === "cut_off") {
      this.#ofFormerCalls = this.text;
      this.#ofThisCall = "";
    } else if (event.event === "start" || event.event === "tool_start" || isTerminal(event)) return this.#clear();
    return "";
  }

  #clear(): string {
    const { text } = this;
    this.#ofFormerCalls = this.#ofThisCall = "";
    return text.trim() === "" ? "" : text;
  }
}
