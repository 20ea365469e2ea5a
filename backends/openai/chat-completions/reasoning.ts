/**
 * Reasoning in the dialects of Chat Completions. A block's opaque part is the fields of the message that it came in, so that it
 * goes back as it came: `{reasoning_content}`, `{reasoning}`, `{reasoning_details}`, or `{think}` for what stood in the text.
 */
import type { Chunk } from "../../provider/provider.ts";
import type { Delta } from "./events.ts";
import { withoutTags } from "./think-tags.ts";

type Detail = NonNullable<Delta["reasoning_details"]>[number];

export class ChatReasoning {
  #text = "";
  #field: "reasoning_content" | "reasoning" = "reasoning_content";
  #details: Detail[] = [];

  /** Whether the delta had any reasoning. */
  add({ reasoning_content, reasoning, reasoning_details }: Delta): boolean {
    // Servers that change from one name to the other send both, with the same text.
    const text = reasoning_content || reasoning || "";
    if (text !== "") this.#field = reasoning_content ? "reasoning_content" : "reasoning";
    this.#text += text;
    for (const detail of reasoning_details ?? []) this.#addDetail(detail);
    return text !== "" || (reasoning_details?.length ?? 0) > 0;
  }

  /** The reasoning since the last call, as one block. */
  *take(): Generator<Chunk> {
    const text = this.#text;
    const details = this.#details;
    this.#text = "";
    this.#details = [];
    const summary = text || details.map(wordsOf).join("");
    if (details.length > 0) yield block(summary, { reasoning_details: details });
    else if (text.trim() !== "") yield block(text, { [this.#field]: text });
  }

  /** Pieces of a detail have its type and its number: what is text grows, the rest comes once. */
  #addDetail(detail: Detail): void {
    const last = this.#details.at(-1);
    if (!last || last.type !== detail.type || last["index"] !== detail["index"] || !isPiece(detail)) {
      this.#details.push(detail);
      return;
    }
    const filled = Object.entries(detail).filter(([, value]) => value !== null && value !== undefined);
    const whole: Detail = { ...last, ...Object.fromEntries(filled) };
    for (const name of ["text", "summary"])
      if (typeof last[name] === "string" && typeof detail[name] === "string")
        whole[name] = `${last[name]}${detail[name]}`;
    this.#details.splice(-1, 1, whole);
  }
}

/** A block that stood in the text, tags and all. */
export function* thinkBlock(think: string): Generator<Chunk> {
  const summary = withoutTags(think);
  if (summary !== "") yield block(summary, { think });
}

function wordsOf({ text, summary }: Detail): string {
  const words = text ?? summary;
  return typeof words === "string" ? words : "";
}

const isPiece = ({ type }: Detail) => type === "reasoning.text" || type === "reasoning.summary";

function block(summary: string, opaque: Record<string, unknown>): Chunk {
  return { type: "thinking", ...(summary !== "" && { summary }), opaque };
}
