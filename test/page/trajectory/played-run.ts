/** Lines of a run's file, as cortex writes them, at times in ms since the request. */
import type { RunEvent } from "../../../page/trajectory/step.ts";

export const began = Date.UTC(2025, 0, 20, 8, 12);

/** Numbers lines from 1 and puts them at their times. */
export function linesOf(...lines: [at: number, event: string, fields?: Record<string, unknown>][]): RunEvent[] {
  return lines.map(([at, event, fields], index) => ({ event, ts: began + at, seq: index + 1, ...fields }));
}

export const usage = { model: "m-1", input_tokens: 800, output_tokens: 100, reasoning_tokens: 40, cost_usd: 0.018 };

/** A call as the loop writes it: what the model used, what it said, and the tool. */
export function call(at: number, id: string, tool: string, args: unknown, tookMs: number, end = {}) {
  return [
    [at, "usage", usage],
    [at + 1, "tool_start", { tool, args, call_id: id }],
    [at + 1 + tookMs, "tool_end", { tool, args, call_id: id, result: "ok", duration_ms: tookMs, ...end }],
  ] satisfies [number, string, Record<string, unknown>][];
}
