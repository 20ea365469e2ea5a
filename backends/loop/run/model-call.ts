/** One model call: its stream becomes the parts of an answer, in the order in which they came. A stream that dies is asked again. */
import type { FinishReason } from "../../../protocol/events/usage.ts";
import { untilAborted } from "../../provider/abort.ts";
import {
  type CallUsage,
  type Chunk,
  type ModelCall,
  type Provider,
  ProviderError,
  type Source,
  type StopReason,
} from "../../provider/provider.ts";
import { withRetries } from "../../provider/retry.ts";
import { sourceList } from "../../provider/sources.ts";
import type { Run } from "./run.ts";
import { SaidPieces } from "./said-pieces.ts";
import type { UsageTotals } from "../../provider/usage.ts";

export type AnswerPart = Extract<Chunk, { type: "thinking" | "call" | "search" }> | { type: "text"; text: string };
export type ModelAnswer = { parts: AnswerPart[]; stop: StopReason; detail: string | undefined };

/** At most one pulse in this time. From docs/contract.md. */
const pulseMs = 5_000;

/** Tells how large the conversation is after a call, for its `usage`. */
export type SizesOf = (usage: CallUsage | undefined) => { context_tokens?: number; context_window?: number };

/**
 * Calls the model. What it says goes out as deltas while it speaks, and they are worth nothing once a `retry` follows; and as
 * pieces, where it speaks for long, or doesn't come to its end. Text, reasoning and calls are the caller's to emit, when the
 * answer is whole.
 * @throws ProviderError
 */
export async function callModel(
  provider: Provider,
  call: ModelCall,
  run: Run,
  totals: UsageTotals,
  sizesOf: SizesOf = () => ({}),
): Promise<ModelAnswer> {
  let pieces: SaidPieces | undefined;
  try {
    const answer = await withRetries(
      () => {
        pieces = new SaidPieces(run.clock, (text) => run.emit({ event: "text", text, partial: true }));
        return streamAnswer({ provider, call, run, totals, sizesOf, pieces });
      },
      async (retry) => {
        await pieces?.[Symbol.asyncDispose]();
        await run.emit({ event: "retry", ...retry });
      },
      run.clock,
      run.signal,
      run.config.retry_seconds,
    );
    if (answer.stop === "max_tokens") await pieces?.keepRest();
    return answer;
  } catch (error) {
    await pieces?.keepRest();
    throw error;
  } finally {
    await pieces?.[Symbol.asyncDispose]();
  }
}

type Attempt = {
  provider: Provider;
  call: ModelCall;
  run: Run;
  totals: UsageTotals;
  sizesOf: SizesOf;
  pieces: SaidPieces;
};

async function streamAnswer({ provider, call, run, totals, sizesOf, pieces }: Attempt): Promise<ModelAnswer> {
  const parts: AnswerPart[] = [];
  const sources: Source[] = [];
  let usage: CallUsage | undefined;
  let end: Extract<Chunk, { type: "end" }> | undefined;
  let hasBegun = false;
  let lastSign = run.clock.now();
  const sign = async (event: { event: "text_delta"; text: string } | { event: "pulse" }) => {
    lastSign = run.clock.now();
    await run.emit(event);
  };
  try {
    for await (const chunk of untilAborted(provider.stream(call, run.signal), run.signal)) {
      hasBegun = true;
      if (chunk.type === "text" && run.config.stream) await sign({ event: "text_delta", text: chunk.text });
      if (run.clock.now() - lastSign >= pulseMs) await sign({ event: "pulse" });
      if (chunk.type === "text") {
        addText(parts, chunk.text);
        pieces.add(chunk.text);
      } else if (chunk.type === "usage") usage = chunk.usage;
      else if (chunk.type === "end") end = chunk;
      else if (chunk.type === "source") sources.push(chunk.source);
      else if (chunk.type !== "progress") parts.push(chunk);
      if (end) break;
    }
  } finally {
    // The usage of a stream before it died is paid for as well.
    if (usage || end) totals.add(usage);
    // A call that failed before anything came is told of by a `retry`, or by the run's end.
    if (hasBegun || run.signal.aborted) {
      const finish_reason = finishReason(end, parts, run.signal);
      await run.emit({ event: "usage", model: call.model, cost_usd: null, ...usage, finish_reason, ...sizesOf(usage) });
    }
  }
  if (!end) throw brokenOff(parts.length > 0 || usage !== undefined);
  const links = nameSources(parts, sources);
  pieces.add(links);
  if (links !== "" && run.config.stream) await run.emit({ event: "text_delta", text: links });
  return { parts, stop: end.stop, detail: end.detail };
}

const reasons = { pause: "stop", max_tokens: "length", refusal: "refusal" } as const;

function finishReason(
  end: { stop: StopReason } | undefined,
  parts: readonly AnswerPart[],
  signal: AbortSignal,
): FinishReason {
  if (!end) return signal.aborted ? "cancelled" : "error";
  if (end.stop !== "end") return reasons[end.stop];
  return parts.some(({ type }) => type === "call") ? "tool_calls" : "stop";
}

/** A stream in which there was nothing isn't an answer that broke off: what came was something else. */
function brokenOff(hasBegun: boolean): ProviderError {
  const detail = hasBegun ? undefined : "unreadable";
  return new ProviderError("the answer broke off: the stream ended before it was complete", { isBroken: true, detail });
}

/** Puts the links behind the last text, and returns what was added to it. */
function nameSources(parts: readonly AnswerPart[], sources: readonly Source[]): string {
  const last = parts.findLast((part) => part.type === "text");
  if (!last) return "";
  const links = sourceList(parts.map((part) => (part.type === "text" ? part.text : "")).join("\n"), sources);
  last.text += links;
  return links;
}

/** Pieces of text with nothing between them are one part. */
function addText(parts: AnswerPart[], text: string): void {
  const last = parts.at(-1);
  if (last?.type === "text") last.text += text;
  else parts.push({ type: "text", text });
}
