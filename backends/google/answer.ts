/** The API's stream of responses becomes chunks. */
import type {
  Candidate,
  FinishReason,
  FunctionCall,
  GenerateContentResponse,
  GenerateContentResponsePromptFeedback,
  GenerateContentResponseUsageMetadata,
  Part,
} from "@google/genai/web";
import { costUsd } from "../provider/prices.ts";
import { type CallUsage, type Chunk, ProviderError, type StopReason } from "../provider/provider.ts";
import { Grounding, searchPart } from "./grounding.ts";
import type { Signature } from "./signatures.ts";

/** Meaning of each reason. `broken`: the model stumbled over its own format, and may not the next time. */
const stops: Record<`${FinishReason}`, StopReason | "broken"> = {
  STOP: "end",
  MAX_TOKENS: "max_tokens",
  SAFETY: "refusal",
  RECITATION: "refusal",
  LANGUAGE: "refusal",
  BLOCKLIST: "refusal",
  PROHIBITED_CONTENT: "refusal",
  SPII: "refusal",
  OTHER: "refusal",
  TOO_MANY_TOOL_CALLS: "refusal",
  IMAGE_SAFETY: "refusal",
  IMAGE_PROHIBITED_CONTENT: "refusal",
  IMAGE_RECITATION: "refusal",
  IMAGE_OTHER: "refusal",
  NO_IMAGE: "refusal",
  MALFORMED_FUNCTION_CALL: "broken",
  MALFORMED_RESPONSE: "broken",
  UNEXPECTED_TOOL_CALL: "broken",
  FINISH_REASON_UNSPECIFIED: "broken",
  // Comes with a token to go on with, which isn't asked for.
  CONTINUATION: "broken",
};

/**
 * @param toolOf the tool that the API means by a name
 * @throws ProviderError when the model couldn't say what it wanted
 */
export async function* chunksOf(
  responses: AsyncIterable<GenerateContentResponse>,
  model: string,
  toolOf: (name: string) => string,
): AsyncGenerator<Chunk> {
  const heard = new Heard(toolOf);
  let ended: Candidate | undefined;
  let blocked: GenerateContentResponsePromptFeedback | undefined;
  const grounding = new Grounding();
  for await (const { candidates, promptFeedback, usageMetadata, modelVersion } of responses) {
    const candidate = candidates?.[0];
    grounding.add(candidate);
    for (const part of candidate?.content?.parts ?? []) yield* heard.part(part);
    if (candidate?.finishReason) ended = candidate;
    if (promptFeedback?.blockReason) blocked = promptFeedback;
    // An alias such as `…-latest` has no price: what it stands for has.
    if (usageMetadata)
      yield { type: "usage", usage: await usageOf(usageMetadata, modelVersion ?? model, grounding.count) };
  }
  if (blocked) {
    yield { type: "end", stop: "refusal", detail: `the prompt was blocked: ${blocked.blockReason}` };
  } else if (ended?.finishReason) {
    const stop = stops[ended.finishReason] ?? "refusal";
    const reason = reasonOf(ended);
    if (stop === "broken")
      throw new ProviderError(`google could not read what the model said: ${reason}`, { isBroken: true });
    yield* grounding.chunks();
    yield* heard.rest();
    yield { type: "end", stop, ...(stop !== "end" && { detail: reason }) };
  }
}

/** The reason, and what was found in the answer. The API has a message as well, which the SDK leaves out. */
function reasonOf({ finishReason, safetyRatings = [] }: Candidate): string {
  const found = safetyRatings.flatMap(({ blocked, category }) => (blocked && category ? [category] : []));
  return [finishReason ?? "", ...found].join(", ");
}

/** So much of a text tells where a signature stood. */
const longestEnd = 100;

/** Parts that have come and can't be handed on yet. */
class Heard {
  readonly #toolOf: (name: string) => string;
  /** Pieces of a thought: it is handed on whole. */
  #thought = "";
  /** The end of the text that has been handed on since the last thought. */
  #end = "";
  /** The signed part of the text that has been handed on. */
  #texts: Signature[] = [];
  /** Calls wait for the end, so that all that was signed stands before the first: behind a call it would be another turn's. */
  readonly #calls: { call: FunctionCall; signature: string | undefined }[] = [];

  constructor(toolOf: (name: string) => string) {
    this.#toolOf = toolOf;
  }

  *part(part: Part): Generator<Chunk> {
    const { text = "", thought, functionCall, thoughtSignature: signature } = part;
    if (part.toolCall || part.toolResponse) {
      if (this.#thought !== "") yield* this.#think();
      yield searchPart(part);
    } else if (functionCall) {
      this.#calls.push({ call: functionCall, signature });
    } else if (thought) {
      this.#thought += text;
      if (signature) yield* this.#think({ part: "thought", signature });
    } else {
      if (text !== "") {
        if (this.#thought !== "") yield* this.#think();
        yield { type: "text", text };
        this.#end = (this.#end + text).slice(-longestEnd);
      }
      if (signature) this.#texts.push({ part: "text", signature, text, ...(text === "" && { behind: this.#end }) });
    }
    yield { type: "progress" };
  }

  /** Signatures, then calls. */
  *rest(): Generator<Chunk> {
    for (const [call, { signature }] of this.#calls.entries())
      if (signature) yield* this.#think({ part: "call", signature, call });
    if (this.#thought !== "" || this.#texts.length > 0) yield* this.#think();
    for (const { call } of this.#calls)
      yield { type: "call", call_id: call.id ?? "", tool: this.#toolOf(call.name ?? ""), args: call.args ?? {} };
  }

  *#think(opaque?: Signature): Generator<Chunk> {
    for (const text of this.#texts) yield { type: "thinking", opaque: text };
    this.#texts = [];
    if (this.#thought === "" && !opaque) return;
    this.#end = "";
    yield { type: "thinking", ...(this.#thought !== "" && { summary: this.#thought }), ...(opaque && { opaque }) };
    this.#thought = "";
  }
}

async function usageOf(
  counts: GenerateContentResponseUsageMetadata,
  model: string,
  searches: number,
): Promise<CallUsage> {
  const reasoning = counts.thoughtsTokenCount ?? 0;
  const usage = {
    input_tokens: (counts.promptTokenCount ?? 0) + (counts.toolUsePromptTokenCount ?? 0),
    cached_input_tokens: counts.cachedContentTokenCount ?? 0,
    output_tokens: (counts.candidatesTokenCount ?? 0) + reasoning,
    reasoning_tokens: reasoning,
    ...(searches > 0 && { web_searches: searches }),
  };
  return { ...usage, cost_usd: await costUsd("google", model.replace(/^models\//, ""), usage) };
}
