/** One model call: its stream becomes the parts of an answer, in the order in which they came. A stream that dies is asked again. */
import { untilAborted } from "../provider/abort.ts";
import {
  type CallUsage,
  type Chunk,
  type ModelCall,
  type Provider,
  ProviderError,
  type Source,
  type StopReason,
} from "../provider/provider.ts";
import { withRetries } from "../provider/retry.ts";
import { sourceList } from "../provider/sources.ts";
import type { Run } from "./run.ts";
import type { UsageTotals } from "../provider/usage.ts";

export type AnswerPart = Extract<Chunk, { type: "thinking" | "call" | "search" }> | { type: "text"; text: string };
export type ModelAnswer = { parts: AnswerPart[]; stop: StopReason; detail: string | undefined };

/** At most one pulse in this time. From docs/contract.md. */
const pulseMs = 5_000;

/**
 * Calls the model. Of what it says only deltas go out while it speaks, and they are worth nothing once a `retry` follows:
 * text, reasoning and calls are the caller's to emit, when the answer is whole.
 * @throws ProviderError
 */
export function callModel(provider: Provider, call: ModelCall, run: Run, totals: UsageTotals): Promise<ModelAnswer> {
  return withRetries(
    () => streamAnswer(provider, call, run, totals),
    (retry) => run.emit({ event: "retry", ...retry }),
    run.clock,
    run.signal,
    run.config.retry_seconds,
  );
}

async function streamAnswer(provider: Provider, call: ModelCall, run: Run, totals: UsageTotals): Promise<ModelAnswer> {
  const parts: AnswerPart[] = [];
  const sources: Source[] = [];
  let usage: CallUsage | undefined;
  let end: Extract<Chunk, { type: "end" }> | undefined;
  let lastSign = run.clock.now();
  const sign = async (event: { event: "text_delta"; text: string } | { event: "pulse" }) => {
    lastSign = run.clock.now();
    await run.emit(event);
  };
  try {
    for await (const chunk of untilAborted(provider.stream(call, run.signal), run.signal)) {
      if (chunk.type === "text" && run.config.stream) await sign({ event: "text_delta", text: chunk.text });
      if (run.clock.now() - lastSign >= pulseMs) await sign({ event: "pulse" });
      if (chunk.type === "text") addText(parts, chunk.text);
      else if (chunk.type === "usage") usage = chunk.usage;
      else if (chunk.type === "end") end = chunk;
      else if (chunk.type === "source") sources.push(chunk.source);
      else if (chunk.type !== "progress") parts.push(chunk);
      if (end) break;
    }
  } finally {
    // The usage of a stream before it died is paid for as well.
    if (usage || end) {
      totals.add(usage);
      await run.emit({ event: "usage", model: call.model, cost_usd: null, ...usage });
    }
  }
  if (!end) throw brokenOff(parts.length > 0 || usage !== undefined);
  const links = nameSources(parts, sources);
  if (links !== "" && run.config.stream) await run.emit({ event: "text_delta", text: links });
  return { parts, stop: end.stop, detail: end.detail };
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
