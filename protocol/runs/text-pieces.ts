/**
 * The text of a run's events, piece by piece, each piece once: of a backend that streams, of one that tells whole texts, and of a
 * file, which keeps pieces of a text that isn't whole. Pure.
 */
import type { AgentEvent } from "./event.ts";

export class TextPieces {
  /** All that was handed on, and what of it belongs to the text that is being written. */
  #all = "";
  #open = "";
  /** The pieces of that text that are kept in the file. */
  #kept = "";

  /** The text that an event adds; empty where it adds none. */
  next(event: AgentEvent): string {
    if (event.event === "text_delta") return this.#append(String(event["text"]));
    if (event.event === "text") {
      const text = String(event["text"]);
      if (event["partial"] === true) return this.#upTo((this.#kept += text));
      const rest = this.#upTo(text);
      this.#close();
      return rest;
    }
    // What follows is said anew.
    if (event.event === "retry" || event.event === "start") this.#close();
    if (event.event !== "finish") return "";
    const result = String(event["result"]).trim();
    if (this.#all.trimEnd().endsWith(result)) return "";
    if (!result.startsWith(this.#open)) this.#close();
    return this.#upTo(result);
  }

  #close(): void {
    this.#open = this.#kept = "";
  }

  /** The part of a text that wasn't handed on yet. Of one that is another than what was streamed nothing can be taken back. */
  #upTo(text: string): string {
    return text.startsWith(this.#open) ? this.#append(text.slice(this.#open.length)) : "";
  }

  /** A text that begins behind another stands apart from it. */
  #append(text: string): string {
    if (text === "") return "";
    const piece = this.#open === "" && this.#all !== "" ? `\n\n${text}` : text;
    this.#open += text;
    this.#all += piece;
    return piece;
  }
}
