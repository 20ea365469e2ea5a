/** The journals that are measured are as cortex writes them: else they would measure something else. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { endedRuns } from "../../bench/harness/made/ended-runs.ts";
import { listRuns } from "../../journal/runs/list-runs.ts";
import { endedFile } from "../../journal/runs/run-files.ts";
import { verifyRun } from "../../journal/ended-runs/verify-run.ts";

const journal = mkdtempSync(join(tmpdir(), "cortex-test-"));
afterAll(() => rmSync(journal, { recursive: true }));
const count = 1003;
for (const [path, text] of endedRuns(count)) {
  mkdirSync(dirname(join(journal, path)), { recursive: true });
  writeFileSync(join(journal, path), text);
}

test("each is a run that has finished, in the folder of its day", async () => {
  const runs = await listRuns(journal, count + 1);
  expect(runs).toHaveLength(count);
  expect(runs.every(({ state, total_tokens }) => state === "finished" && total_tokens === 130)).toBe(true);
});

test("its lines are chained", async () => {
  for (const { agent_id } of await listRuns(journal, 2))
    expect(await verifyRun(endedFile(journal, agent_id), agent_id)).toMatchObject({ state: "intact", lines: 4 });
});
