/** The results of the API's own search: the parts that it makes of it, and the pages that the answer rests on. Pure. */
import type { Candidate, Part } from "@google/genai/web";
import type { Chunk, Source } from "../provider/provider.ts";
import { sourceOf } from "../provider/sources.ts";
import type { Signature } from "./signatures.ts";

/** A call of the search, or what it found. It goes back as it came. */
export function searchPart(part: Part): Chunk {
  const queries = part.toolCall?.args?.["queries"];
  const opaque: Signature = { part: "search", whole: { ...part } };
  if (!part.toolCall) return { type: "thinking", opaque };
  return { type: "search", queries: textsIn(queries), sources: [], opaque };
}

/** `groundingMetadata`, which comes with the last events, whole or piece by piece. */
export class Grounding {
  readonly #queries = new Set<string>();
  readonly #sources = new Map<string, Source>();
  /** Whether the searches stand among the parts of the answer. */
  #hasParts = false;

  add(candidate: Candidate | undefined): void {
    const { webSearchQueries, groundingChunks } = candidate?.groundingMetadata ?? {};
    this.#hasParts ||= candidate?.content?.parts?.some(({ toolCall }) => toolCall) ?? false;
    for (const query of textsIn(webSearchQueries)) this.#queries.add(query);
    for (const { web } of groundingChunks ?? [])
      for (const source of sourceOf(web?.uri, web?.title)) this.#sources.set(source.url, source);
  }

  /** How many queries the API has made: as many it bills. */
  get count(): number {
    return this.#queries.size;
  }

  *chunks(): Generator<Chunk> {
    const sources = [...this.#sources.values()];
    if (this.#queries.size > 0 && !this.#hasParts) yield { type: "search", queries: [...this.#queries], sources };
    for (const source of sources) yield { type: "source", source };
  }
}

const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((text) => typeof text === "string") : [];
