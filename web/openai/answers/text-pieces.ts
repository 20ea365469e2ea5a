/** The text of a run's events, piece by piece, each piece once: of a backend that streams, and of one that tells whole texts. */
import type { AgentEvent } from "../../../protocol/runs/event.ts";

export class TextPieces {
  /** All that was handed on, and what of it belongs to the text that is being written. */
  #all = "";
  #open = "";

  /** The text that an event adds; empty where it adds none. */
  next(event: AgentEvent): string {
    if (event.event === "text_delta") {
      const text = String(event["text"]);
      const piece = this.#open === "" ? this.#apart(text) : text;
      this.#open += text;
      return this.#add(piece);
    }
    if (event.event === "text") {
      const [text, open] = [String(event["text"]), this.#open];
      this.#open = "";
      if (open === "") return this.#add(this.#apart(text));
      return this.#add(text.startsWith(open) ? text.slice(open.length) : "");
    }
    if (event.event !== "finish") return "";
    const result = String(event["result"]).trim();
    return this.#all.trimEnd().endsWith(result) ? "" : this.#add(this.#apart(result));
  }

  /** A text that begins behind another stands apart from it. */
  #apart(text: string): string {
    return this.#all === "" || text === "" ? text : `\n\n${text}`;
  }

  #add(piece: string): string {
    this.#all += piece;
    return piece;
  }
}
