/** A journal with the files of very many runs: listing them, and starting on it. */
import { packageFile } from "../../proc/programs/package-file.ts";
import { UpJournal } from "../../test/supervisor/up-process.ts";
import { timeBare } from "../harness/made/bare-process.ts";
import type { Benchmark } from "../harness/figures/benchmark.ts";
import { writeEndedRuns } from "../harness/made/ended-runs.ts";
import { startUp } from "../harness/up.ts";

export const measure: Benchmark = async ({ rounds, isQuick }) => {
  const count = isQuick ? 5_000 : 100_000;
  await using full = new UpJournal();
  await using empty = new UpJournal();
  writeEndedRuns(full.path, count);
  const list = (journal: UpJournal) =>
    timeBare([process.execPath, packageFile("bin/cortex.js"), "runs", "list"], { JOURNAL_PATH: journal.path });
  const lists = { full: [] as number[], empty: [] as number[] };
  const starts = { full: [] as number[], empty: [] as number[] };
  await list(empty);
  for (let round = 0; round < rounds; round++) {
    lists.empty.push(await list(empty));
    lists.full.push(await list(full));
  }
  // The first start makes what the later ones find, the index of the search too.
  for (const journal of [empty, full]) await (await startUp(journal)).stop();
  for (let round = 0; round < (isQuick ? 1 : rounds); round++) {
    for (const [name, journal] of Object.entries({ empty, full })) {
      const { took, stop } = await startUp(journal);
      starts[name as keyof typeof starts].push(took.bus + took.rest);
      await stop();
    }
  }
  const files = `${count.toLocaleString("en")} run files`;
  return [
    { what: `${files}: runs list`, unit: "ms", ours: lists.full, target: { atMost: 200 } },
    { what: "an empty journal: runs list", unit: "ms", ours: lists.empty, target: null },
    {
      what: `${files}: cortex up`,
      unit: "ms",
      ours: starts.full,
      comparedWith: { what: "an empty journal", figures: starts.empty },
      target: { atMost: 1.1 },
    },
  ];
};
