/** Going on from a long chain: what its history takes by itself, and what a run has of it. */
import { chainHistory } from "../../cortex/plan/history.ts";
import type { EventBody } from "../../protocol/runs/event.ts";
import type { Benchmark } from "../harness/figures/benchmark.ts";
import { endedRun } from "../harness/made/ended-runs.ts";
import { answers, hello, openai } from "../harness/made/models.ts";
import { startSystem, timeRun } from "../harness/system.ts";

const links = 10;
const eventsPerLink = 100;
const dayMs = 86_400_000;
/** Characters of a model's words, and of a tool's answer. */
const textLength = 200;

export const measure: Benchmark = async ({ rounds }) => {
  const before = Date.now() - dayMs;
  const ids = Array.from({ length: links }, (_, link) => String(before + link * 1000));
  const files = Object.fromEntries(ids.map((id, link) => endedRun(id, eventsOf(ids[link - 1]))));
  await using server = await openai.play(answers(2 + 2 * rounds));
  const env = openai.environment(server.url);
  await using system = await startSystem({ settings: openai.settings, env, files });
  const last = ids.at(-1) ?? "";

  const history: number[] = [];
  const wall = { alone: [] as number[], continued: [] as number[] };
  for (let round = 0; round < rounds + 1; round++) {
    const started = performance.now();
    const messages = await chainHistory(system.journal, last, () => false);
    history.push(performance.now() - started);
    if (messages.length < links * (eventsPerLink / 2)) throw new Error(`a history of ${messages.length} messages`);
  }
  for (const continued of [{}, { continue_from: last }]) await timeRun(system, { ...hello, ...continued });
  for (let round = 0; round < rounds; round++) {
    wall.alone.push(await timeRun(system, hello));
    wall.continued.push(await timeRun(system, { ...hello, continue_from: last }));
  }
  const [first = Number.NaN, ...later] = history;
  const what = `history of ${(links * eventsPerLink).toLocaleString("en")} events`;
  return [
    { what: `${what}: built`, unit: "ms", ours: later, target: { atMost: 20 } },
    { what: `${what}: built for the first time in a process`, unit: "ms", ours: [first], target: null },
    {
      what: `${what}: a run that goes on from it`,
      unit: "ms",
      ours: wall.continued,
      comparedWith: { what: "a run without", figures: wall.alone },
      target: null,
    },
  ];
};

/** A question, thirty-two calls of a tool with what was said before each, and an answer. */
function eventsOf(continueFrom: string | undefined): EventBody[] {
  const text = "The frost came early. ".repeat(textLength).slice(0, textLength);
  const calls = Array.from({ length: Math.floor((eventsPerLink - 4) / 3) }, (_, number) => {
    const call = { tool: "search_journal", args: { query: `greenhouse ${number}` }, call_id: `call-${number}` };
    return [
      { event: "text", text },
      { event: "tool_start", ...call },
      { event: "tool_end", ...call, result: text, is_error: false },
    ];
  });
  return [
    { event: "request", prompt: "And then?", ...(continueFrom === undefined ? {} : { continue_from: continueFrom }) },
    { event: "start", attempt: 1, persona: "default", backend: "openai", model: "gpt-bench" },
    ...calls.flat(),
    { event: "text", text },
    { event: "finish", result: text },
  ];
}
