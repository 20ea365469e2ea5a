/**
 * Reasoning that a model writes into its answer, between `<think>` and `</think>` at its beginning: how local models do it where
 * their server doesn't take it apart. The tags come in pieces. Pure.
 */

type Piece = { type: "text" | "think"; text: string };

const open = "<think>";
const close = "</think>";

export class ThinkTags {
  #state: "beginning" | "thinking" | "behind" | "speaking" = "beginning";
  /** Text that may be the beginning of a tag. */
  #held = "";

  *add(text: string): Generator<Piece> {
    this.#held += text;
    if (this.#state === "beginning") {
      const begun = this.#held.trimStart();
      if (begun.length < open.length && open.startsWith(begun)) return;
      this.#state = begun.startsWith(open) ? "thinking" : "speaking";
    }
    if (this.#state === "thinking") {
      const end = this.#held.indexOf(close);
      if (end < 0) return;
      yield { type: "think", text: this.#held.slice(0, end + close.length).trimStart() };
      this.#held = this.#held.slice(end + close.length);
      this.#state = "behind";
    }
    if (this.#state === "behind") {
      this.#held = this.#held.trimStart();
      if (this.#held === "") return;
      this.#state = "speaking";
    }
    if (this.#held !== "") yield { type: "text", text: this.#held };
    this.#held = "";
  }

  /** The rest at the end. Thoughts that never end are an answer that talks of the tag, unless it was cut off. */
  *end(isCutOff: boolean): Generator<Piece> {
    const text = this.#held;
    this.#held = "";
    if (text.trim() !== "") yield { type: this.#state === "thinking" && isCutOff ? "think" : "text", text };
  }
}

/** The thoughts alone. */
export function withoutTags(think: string): string {
  return think.replace(open, "").replace(close, "").trim();
}
