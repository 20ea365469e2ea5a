/** One turn of the model: its stream becomes parts, in the order in which they came. A stream that dies is asked again. */
import { untilAborted } from "../provider/abort.ts";
import {
  type CallUsage,
  type Chunk,
  type ModelCall,
  type Provider,
  ProviderError,
  type Stop,
} from "../provider/provider.ts";
import { withRetries } from "../provider/retry.ts";
import type { Run } from "./run.ts";
import type { UsageTotals } from "../provider/usage.ts";

export type Part = Extract<Chunk, { type: "thinking" | "call" }> | { type: "text"; text: string };
export type Turn = { parts: Part[]; stop: Stop; detail: string | undefined };

/** At most one pulse in this time. From docs/contract.md. */
const pulseMs = 5_000;

/**
 * Calls the model. Of what it says only deltas go out while it speaks, and they are worth nothing once a `retry` follows:
 * text, reasoning and calls are the caller's to emit, when the turn is whole.
 * @throws ProviderError
 */
export function takeTurn(provider: Provider, call: ModelCall, run: Run, totals: UsageTotals): Promise<Turn> {
  return withRetries(
    () => hear(provider, call, run, totals),
    (retry) => run.emit({ event: "retry", ...retry }),
    run.clock,
    run.signal,
  );
}

async function hear(provider: Provider, call: ModelCall, run: Run, totals: UsageTotals): Promise<Turn> {
  const parts: Part[] = [];
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
      if (chunk.type === "text") say(parts, chunk.text);
      else if (chunk.type === "usage") usage = chunk.usage;
      else if (chunk.type === "end") end = chunk;
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
  if (!end)
    throw new ProviderError("the answer broke off: the stream ended before it was complete", { isBroken: true });
  return { parts, stop: end.stop, detail: end.detail };
}

/** Pieces of text with nothing between them are one part. */
function say(parts: Part[], text: string): void {
  const last = parts.at(-1);
  if (last?.type === "text") last.text += text;
  else parts.push({ type: "text", text });
}
