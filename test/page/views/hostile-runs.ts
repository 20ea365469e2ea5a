/** Runs whose every field holds hostile words, as files of a journal: what a model, a person or a file may have written there. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { endedFile } from "../../../journal/runs/run-files.ts";

/** Markup, signs that turn the order round or that a terminal obeys, a word without end, and a line of a megabyte. */
const hostileLines: readonly string[] = [
  `<script>globalThis.hit=1</script><img src=x onerror="globalThis.hit=1">`,
  "\u202Eback\u0001wards\u001b[31m and \u2066signs\u0007",
  `javascript:globalThis.hit=1 ${"W".repeat(3000)}`,
  `megabyte ${"x".repeat(1_000_000)}`,
];

/** Writes a run for each hostile line; every second one has failed. @returns their ids */
export function writeHostileRuns(journal: string): string[] {
  const begin = Date.now() - 60_000;
  return hostileLines.map((text, at) => writeHostileRun(journal, begin + 1000 * at, text, at % 2 === 1));
}

/** A name that the index and the rows take, in characters. */
const longestName = 5000;

/** Writes a run that has ended. @returns its id */
export function writeHostileRun(
  journal: string,
  ts: number,
  text: string,
  hasFailed: boolean,
  name = text.slice(0, longestName),
): string {
  const id = String(ts);
  const args = { [text.slice(0, 200)]: text, path: text };
  const call = (n: number, more: object) => [
    { event: "tool_start", tool: text, args, call_id: String(n) },
    { event: "tool_end", tool: text, call_id: String(n), result: text, ...more },
  ];
  const events: object[] = [
    { event: "request", prompt: text, persona: name, facet: name },
    { event: "start", persona: name, backend: "offline", model: name, attempt: 1 },
    { event: "thinking", summary: text },
    { event: "text", text },
    { event: "info", message: text },
    { event: "permission", id: "q1", tool: text, args: { text }, why: text },
    { event: "permission_decided", id: "q1", decision: "deny", by: text },
    ...call(1, { is_error: true }),
    ...call(2, { result: [{ [text.slice(0, 200)]: text }] }),
    { event: "usage", model: name, cost_usd: 0.01, input_tokens: 1000, output_tokens: 100 },
    { event: "retry", reason: text, delay_ms: 1 },
    { event: "saved", path: name },
    hasFailed ? { event: "error", error: text, reason: "internal", trace: text } : { event: "finish", result: text },
  ];
  const path = endedFile(journal, id);
  mkdirSync(dirname(path), { recursive: true });
  const lines = events.map((event, at) => `${JSON.stringify({ ts: ts + at, agent_id: id, seq: at + 1, ...event })}\n`);
  writeFileSync(path, lines.join(""));
  return id;
}
