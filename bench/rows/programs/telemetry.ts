/** A run with telemetry beside one without, by turns: to a receiver that takes everything, and to one that never answers. */
import { CortexSystem } from "../../../test/support/cortex-system.ts";
import { takes } from "../../../test/support/otlp/otlp-receiver.ts";
import { TelemetrySystem } from "../../../test/telemetry/telemetry-system.ts";
import type { Benchmark } from "../../harness/figures/benchmark.ts";
import { median } from "../../harness/figures/spread.ts";
import { timeRun } from "../../harness/system.ts";

/** Runs of a round each way, by turns: what a single one takes is mostly chance. */
const runsOf = { quick: 3, full: 20 };
const hello = { prompt: "hello", disable_mcp: true };

export const measure: Benchmark = async ({ rounds, isQuick }) => {
  await using without = await CortexSystem.start({ settings: { default_backend: "offline" } });
  await using taken = await TelemetrySystem.start(takes);
  await using silent = await TelemetrySystem.start(() => false);
  const ways = [without, taken.system, silent.system];
  const figures: number[][] = ways.map(() => []);
  for (const way of ways) await timeRun(way, hello);
  for (let round = 0; round < rounds; round++) {
    const times: number[][] = ways.map(() => []);
    for (let run = 0; run < runsOf[isQuick ? "quick" : "full"]; run++)
      for (const [at, way] of ways.entries()) times[at]?.push(await timeRun(way, hello));
    for (const [at, of] of times.entries()) figures[at]?.push(median(of));
  }
  const [bare = [], heard = [], unheard = []] = figures;
  const comparedWith = { what: "the same run without", figures: bare };
  // Nothing of it is in the way of a run: more than this is the noise of a machine that does both.
  const target = { atMost: 1.1 };
  return [
    { what: "telemetry: a run whose spans are sent", unit: "ms", ours: heard, comparedWith, target },
    { what: "telemetry: a run whose receiver never answers", unit: "ms", ours: unheard, comparedWith, target },
  ];
};
