/** Commands that say something small, beside a Node that says nothing. */
import { packageFile } from "../../proc/programs/package-file.ts";
import { UpJournal } from "../../test/supervisor/up-process.ts";
import { timeBare } from "../harness/made/bare-process.ts";
import type { Benchmark, Row } from "../harness/figures/benchmark.ts";
import { startUp } from "../harness/up.ts";

/** Each is short: more of them cost little. */
const perRound = 3;

const commands = {
  "cortex-request --help": ["bin/cortex-request.js", "--help"],
  "cortex status": ["bin/cortex.js", "status"],
};

export const measure: Benchmark = async ({ rounds }) => {
  await using journal = new UpJournal();
  const { stop } = await startUp(journal);
  const env = { JOURNAL_PATH: journal.path, HOME: journal.path };
  const rows: Row[] = [];
  for (const [what, [script = "", ...args]] of Object.entries(commands)) {
    const command = [process.execPath, packageFile(script), ...args];
    const ours: number[] = [];
    const figures: number[] = [];
    await timeBare(command, env);
    for (let round = 0; round < rounds * perRound; round++) {
      figures.push(await timeBare([process.execPath, "-e", "0"], env));
      ours.push(await timeBare(command, env));
    }
    rows.push({ what, unit: "ms", ours, comparedWith: { what: "node -e 0", figures }, target: { atMost: 1.5 } });
  }
  await stop();
  return rows;
};
