/** Files of runs that have ended, as cortex would have written them, without having run them. */
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { stamp } from "../../../cortex/output/stamp.ts";
import { lineHash } from "../../../journal/chain/hash-chain.ts";
import { endedFile } from "../../../journal/runs/run-files.ts";
import type { EventBody } from "../../../protocol/runs/event.ts";

const perDay = 1000;
const dayMs = 86_400_000;
const betweenMs = 1000;

/** Puts such files into a journal. They and their folders look as old as they are said to be: what is old isn't looked at. */
export function writeEndedRuns(journal: string, count: number): void {
  for (const [path, text] of endedRuns(count)) {
    const file = join(journal, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    const ended = new Date(Number(basename(file, ".jsonl")));
    for (const touched of [file, dirname(file)]) utimesSync(touched, ended, ended);
  }
}

/** So many short runs, a thousand a day, the last of them yesterday: path in the journal and text of each. */
export function* endedRuns(count: number): Generator<[path: string, text: string]> {
  const today = Math.floor(Date.now() / dayMs) * dayMs;
  for (let run = 0; run < count; run++) {
    const agentId = String(today - dayMs * (1 + Math.floor(run / perDay)) + betweenMs * (run % perDay));
    yield endedRun(agentId, [
      { event: "request", ts: Number(agentId), prompt: `What did we decide about the greenhouse, point ${run}?` },
      { event: "start", attempt: 1, persona: "default", backend: "openai", model: "gpt-bench", prompt: "…" },
      { event: "text", text: `It was decided to go on with point ${run}.` },
      { event: "finish", result: `It was decided to go on with point ${run}.`, usage },
    ]);
  }
}

const usage = { input_tokens: 100, cached_input_tokens: 0, output_tokens: 30, reasoning_tokens: 0, cost_usd: 0.001 };

/** The file of a run with these events. */
export function endedRun(agentId: string, events: EventBody[]): [path: string, text: string] {
  let prev: string | null = null;
  const lines = events.map((event, index) => {
    const line = JSON.stringify(stamp(event, agentId, index + 1, Number(agentId) + index, prev));
    prev = lineHash(line);
    return line;
  });
  return [endedFile("", agentId).replace(/^\//, ""), `${lines.join("\n")}\n`];
}
