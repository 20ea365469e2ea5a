/** A thousand requests at once, three times: each becomes one file that says what the bus said, and cortex is afterwards as it was before. */
import { readdirSync, readFileSync } from "node:fs";
import { liveRuns } from "../../journal/run-folders/run-folder.ts";
import { runFiles } from "../../journal/runs/list-runs.ts";
import { type AgentEvent, isTerminal } from "../../protocol/runs/event.ts";
import { CortexSystem } from "../../test/support/cortex-system.ts";
import { inspectorUrl, look } from "../harness/inspect.ts";

const requests = 1000;
const rounds = 3;
/** The growth that a round may add to what cortex holds once the first has warmed it up. */
const mayGrow = { descriptors: 2, timers: 2, heapMiB: 4, rssMiB: 24 };
const roundMs = 300_000;

const backend = `read -r config; echo '{"event":"start"}'; echo '{"event":"text","text":"ü"}'; echo '{"event":"finish","result":"done"}'`;

type Measure = { round: number; seconds: number; descriptors: number; timers: number; heapMiB: number; rssMiB: number };

/** Runs all rounds and prints what they came to. Resolves with what was broken. */
export async function soakRounds(): Promise<string[]> {
  const broken: string[] = [];
  const measures: Measure[] = [];
  await using system = await CortexSystem.start({
    settings: { default_backend: "trivial", backends: { trivial: { command: ["/bin/sh", "-c", backend] } } },
    env: { NODE_OPTIONS: "--inspect=127.0.0.1:0" },
  });
  measures.push(await measure(system, 0, 0));
  for (let round = 1; round <= rounds; round++) {
    const started = performance.now();
    const heardBefore = system.events.length;
    // Bare ones, without an id: cortex gives each its own.
    for (let count = 0; count < requests; count++) system.publish(JSON.stringify({ prompt: `request ${count}` }));
    const isOver = () => ended(system, heardBefore) === requests && liveRuns(system.journal).length === 0;
    await system.until(isOver, `round ${round} is over`, roundMs);
    measures.push(await measure(system, round, (performance.now() - started) / 1000));
    broken.push(...filesBroken(system, round));
  }
  if (system.rejected.length > 0) broken.push(`${system.rejected.length} requests were rejected`);
  print(measures);
  return [...broken, ...growth(measures)];
}

function ended(system: CortexSystem, from: number): number {
  return system.events.slice(from).filter(isTerminal).length;
}

async function measure(system: CortexSystem, round: number, seconds: number): Promise<Measure> {
  const { timers, heapBytes } = await look(inspectorUrl(system.log));
  const status = readFileSync(`/proc/${system.pid}/status`, "utf8");
  const rssKiB = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
  const descriptors = readdirSync(`/proc/${system.pid}/fd`).length;
  return { round, seconds, descriptors, timers, heapMiB: heapBytes / 2 ** 20, rssMiB: rssKiB / 1024 };
}

/** One file a request, whose lines are what was heard, in the same order. */
function filesBroken(system: CortexSystem, round: number): string[] {
  const broken: string[] = [];
  const files = [...runFiles(system.journal)];
  if (files.length !== round * requests) broken.push(`round ${round}: ${files.length} files`);
  if (new Set(files.map(({ agentId }) => agentId)).size !== files.length) broken.push(`round ${round}: an id twice`);
  const heard = Map.groupBy(system.events, ({ agent_id }) => agent_id);
  const prompts = new Map<string, number>();
  for (const { path, agentId, isActive } of files) {
    const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
    const events = heard.get(agentId) ?? [];
    if (isActive) broken.push(`${agentId}: still active`);
    if (JSON.stringify(events) !== `[${lines.join(",")}]`) broken.push(`${agentId}: bus and file differ`);
    const [request] = lines.map((line) => JSON.parse(line) as AgentEvent);
    const prompt = String(request?.["prompt"]);
    prompts.set(prompt, (prompts.get(prompt) ?? 0) + 1);
    if (events.filter(isTerminal).length !== 1) broken.push(`${agentId}: not one terminal event`);
  }
  if (prompts.size !== requests || [...prompts.values()].some((count) => count !== round))
    broken.push(`round ${round}: not each request once`);
  return broken;
}

function growth(measures: Measure[]): string[] {
  const [, first] = measures;
  const last = measures.at(-1);
  if (!first || !last) return [];
  return (Object.keys(mayGrow) as (keyof typeof mayGrow)[]).flatMap((key) => {
    const grown = last[key] - first[key];
    return grown > mayGrow[key] * (rounds - 1) ? [`${key} grew by ${grown.toFixed(1)} from round 1 on`] : [];
  });
}

function print(measures: Measure[]): void {
  process.stdout.write("round  requests/s  seconds  descriptors  timers  heap MiB  RSS MiB\n");
  for (const { round, seconds, descriptors, timers, heapMiB, rssMiB } of measures) {
    const rate = seconds === 0 ? "" : (requests / seconds).toFixed(1);
    const cells = [
      rate,
      seconds.toFixed(1),
      String(descriptors),
      String(timers),
      heapMiB.toFixed(1),
      rssMiB.toFixed(1),
    ];
    const widths = [10, 7, 11, 6, 8, 7];
    const row = cells.map((cell, index) => cell.padStart(widths[index] ?? 0)).join("  ");
    process.stdout.write(`${String(round).padStart(5)}  ${row}\n`);
  }
}
