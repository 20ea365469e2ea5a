/** Many runs at once, beside as many bare scripts at once. */
import { askFor, settled } from "../harness/ask.ts";
import { timeBare } from "../harness/made/bare-process.ts";
import type { Benchmark, Row } from "../harness/figures/benchmark.ts";
import { answers, hello, openai } from "../harness/made/models.ts";
import { quiet } from "../harness/quiet.ts";
import { standing, startSystem, timeRun } from "../harness/system.ts";

/** A small process starts them: a large one takes longer for each. */
const together = `count=$1; shift
pids=
while [ "$count" -gt 0 ]; do "$@" & pids="$pids $!"; count=$((count - 1)); done
for pid in $pids; do wait "$pid" || exit 1; done`;

export const measure: Benchmark = async ({ rounds, isQuick }) => {
  const counts = isQuick ? [8] : [8, 64];
  const most = Math.max(...counts);
  const total = counts.reduce((sum, count) => sum + count, 0);
  await using server = await openai.play(answers(1 + 2 * rounds * total));
  const env = openai.environment(server.url);
  await using system = await startSystem({ settings: { ...openai.settings, max_concurrent: most }, env });
  await timeRun(system, hello);

  const rows: Row[] = [];
  for (const count of counts) {
    const ours: number[] = [];
    const figures: number[] = [];
    for (let round = 0; round < rounds; round++) {
      figures.push(await timeBare(["/bin/sh", "-c", together, "sh", String(count), ...openai.hello], env));
      await quiet(system.journal, standing(system));
      const asked = performance.now();
      const runs = Array.from({ length: count }, () => askFor(system.bus, hello));
      const ends = await Promise.all(runs.map(({ ended }) => ended));
      ours.push(Math.max(...ends) - asked);
      for (const { agentId } of runs) await settled(system.journal, agentId);
    }
    const comparedWith = { what: `${count} bare scripts`, figures };
    rows.push({ what: `${count} at once: wall`, unit: "ms", ours, comparedWith, target: { atMost: 0.9 } });
  }
  return rows;
};
