/** The cost of a run in a journal that has a hundred times as many runs. */
import type { Benchmark } from "../harness/figures/benchmark.ts";
import { endedRuns } from "../harness/made/ended-runs.ts";
import { answers, hello, openai } from "../harness/made/models.ts";
import { cpuOfRun, startSystem, timeRun } from "../harness/system.ts";

const times = 100;
/** CPU time comes in steps of 10 ms: these are measured together. */
const runsTogether = { quick: 2, full: 8 };

export const measure: Benchmark = async ({ rounds, isQuick }) => {
  const few = isQuick ? 20 : 200;
  const together = isQuick ? runsTogether.quick : runsTogether.full;
  await using server = await openai.play(answers(2 + 2 * rounds * (1 + together)));
  const { settings } = openai;
  const env = openai.environment(server.url);
  await using small = await startSystem({ settings, env, files: Object.fromEntries(endedRuns(few)) });
  await using large = await startSystem({ settings, env, files: Object.fromEntries(endedRuns(few * times)) });
  const systems = { small, large };
  const wall = { small: [] as number[], large: [] as number[] };
  const cpu = { small: [] as number[], large: [] as number[] };
  for (const system of Object.values(systems)) await timeRun(system, hello);
  for (let round = 0; round < rounds; round++) {
    for (const name of ["small", "large"] as const) wall[name].push(await timeRun(systems[name], hello));
    for (const name of ["small", "large"] as const) cpu[name].push(await cpuOfRun(systems[name], hello, together));
  }
  const what = `a run among ${(few * times).toLocaleString("en")} others`;
  const comparedWith = (figures: number[]) => ({ what: `among ${few}`, figures });
  return [
    {
      what: `${what}: wall`,
      unit: "ms",
      ours: wall.large,
      comparedWith: comparedWith(wall.small),
      target: { atMost: 1.1 },
    },
    {
      what: `${what}: CPU`,
      unit: "ms",
      ours: cpu.large,
      comparedWith: comparedWith(cpu.small),
      target: { atMost: 1.1 },
    },
  ];
};
