/** One model call and one short answer, one run at a time, beside a bare script that asks with `fetch`. */
import { attemptFolder } from "../../journal/run-folders/run-folder.ts";
import { agentOf } from "../../proc/runs/run.ts";
import type { CortexSystem } from "../../test/support/cortex-system.ts";
import type { PlayedServer } from "../../test/support/providers/played.ts";
import { askFor } from "../harness/ask.ts";
import { startBare, timeBare } from "../harness/made/bare-process.ts";
import type { Benchmark, Row, Scale } from "../harness/figures/benchmark.ts";
import { answers, anthropic, hello, type Model, noWarm, openai } from "../harness/made/models.ts";
import { cpuOfEnded, peakOf, residentOf } from "../harness/processes.ts";
import { quiet, warmAgents } from "../harness/quiet.ts";
import { cpuOfRun, standing, startSystem, timeRun } from "../harness/system.ts";
import { until } from "../harness/until.ts";

/** CPU time comes in steps of 10 ms, and a run takes some hundred: these are measured together. */
const runsTogether = { quick: 2, full: 8 };

const script = "bare script";

export const measure: Benchmark = async (scale) => {
  const models = scale.isQuick ? [openai] : [openai, anthropic];
  const rows: Row[] = [];
  for (const model of models) rows.push(...(await measureModel(model, scale)));
  return rows;
};

async function measureModel(model: Model, { rounds, isQuick }: Scale): Promise<Row[]> {
  const together = isQuick ? runsTogether.quick : runsTogether.full;
  // What warms up, and then three askers in each round.
  await using server = await model.play(answers(3 + 3 * rounds * (1 + together)));
  await using silent = await model.play(Array.from({ length: 2 * rounds }, () => ({ silent: true })));
  const env = model.environment(server.url);
  const silentEnv = model.environment(silent.url);
  await using warm = await startSystem({ settings: model.settings, env });
  await using cold = await startSystem({ settings: { ...model.settings, ...noWarm }, env });

  const wall = { script: [] as number[], warm: [] as number[], cold: [] as number[] };
  const cpu = { script: [] as number[], warm: [] as number[], cold: [] as number[] };
  await timeBare(model.hello, env);
  for (const system of [warm, cold]) await timeRun(system, hello);
  for (let round = 0; round < rounds; round++) {
    wall.script.push(await timeBare(model.hello, env));
    wall.warm.push(await timeRun(warm, hello));
    wall.cold.push(await timeRun(cold, hello));
    cpu.script.push(await cpuOfScripts(model.hello, env, together));
    cpu.warm.push(await cpuOfRun(warm, hello, together));
    cpu.cold.push(await cpuOfRun(cold, hello, together));
  }
  await quiet(warm.journal, standing(warm));
  const idle = warmAgents(warm.journal).map(residentOf);
  await using waiting = await startSystem({ settings: model.settings, env: silentEnv });
  const memory = { script: [] as number[], run: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    memory.script.push(await peakOfScript(model, silent, silentEnv));
    memory.run.push(await peakOfRun(waiting, silent));
  }

  const name = `hello (${model.backend})`;
  const row = (what: string, unit: string, ours: number[], figures: number[], atMost: number | null): Row => ({
    what: `${name}${what}`,
    unit,
    ours,
    comparedWith: { what: script, figures },
    target: atMost === null ? null : { atMost },
  });
  return [
    row(", warm: wall", "ms", wall.warm, wall.script, 0.45),
    row(", no warm process: wall", "ms", wall.cold, wall.script, 1.5),
    row(": CPU of everything", "ms", cpu.warm, cpu.script, 1.3),
    row(", no warm process: CPU of everything", "ms", cpu.cold, cpu.script, null),
    row(": memory of the run's process at its peak", "MiB", memory.run, memory.script, 1.1),
    { what: `${name}: memory of an idle warm process`, unit: "MiB RSS", ours: idle, target: { atMost: 50 } },
  ];
}

async function cpuOfScripts(command: string[], env: Record<string, string>, count: number): Promise<number> {
  const before = cpuOfEnded(process.pid);
  for (let run = 0; run < count; run++) await timeBare(command, env);
  return (cpuOfEnded(process.pid) - before) / count;
}

/** By the time that it waits for an answer. */
async function peakOfScript(model: Model, { requests }: PlayedServer, env: Record<string, string>): Promise<number> {
  const before = requests.length;
  const child = startBare(model.hello, env);
  await until(() => requests.length > before, "the script asks");
  const peak = peakOf(child.pid ?? 0);
  const ended = new Promise((resolve) => child.once("close", resolve));
  child.kill("SIGKILL");
  await ended;
  return peak;
}

async function peakOfRun(system: CortexSystem, { requests }: PlayedServer): Promise<number> {
  await quiet(system.journal, standing(system));
  const before = requests.length;
  const { agentId, ended } = askFor(system.bus, hello);
  await until(() => requests.length > before, "the run asks");
  const peak = peakOf(agentOf(attemptFolder(system.journal, agentId, 1))?.pid ?? 0);
  system.cancel(agentId);
  await ended.catch(() => {}); // cancelled is not a finish
  return peak;
}
