/** One damaged file of a run is told as damaged; what is said of the others is as though it weren't there. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { appendToEnded } from "../../journal/ended-runs/append-ended.ts";
import { runCosts } from "../../journal/costs/costs.ts";
import { listRuns, runFilesOf, summaryOf } from "../../journal/runs/list-runs.ts";
import { pruneRuns } from "../../journal/retention/retention.ts";
import { compressedFile, endedFile, runFile, runFileFolder, runsFolder } from "../../journal/runs/run-files.ts";
import { verifyRun } from "../../journal/ended-runs/verify-run.ts";
import { chainHistory } from "../../cortex/plan/history.ts";
import { agentId, chained, event, temporaryJournal } from "./temporary-journal.ts";

const [torn, folder] = ["1736380800001", "1736380800002"];

/** A journal with a run that is whole, one whose compressed file is damaged, and a folder that has a run's name. */
function damagedJournal() {
  const journal = temporaryJournal();
  mkdirSync(runFileFolder(journal.path, agentId), { recursive: true });
  const lines = chained([event(1, "request", { prompt: "whole" }), event(2, "finish", { result: "done" })]);
  writeFileSync(endedFile(journal.path, agentId), `${lines.join("\n")}\n`);
  writeFileSync(compressedFile(journal.path, torn), "no gzip");
  mkdirSync(endedFile(journal.path, folder));
  // Things that aren't folders of runs, and have the name of one.
  writeFileSync(join(runsFolder(journal.path), "20250110"), "no folder");
  return journal;
}

test("a list of runs names the damaged ones and shows the others", async () => {
  using journal = damagedJournal();
  expect(await listRuns(journal.path, 9)).toMatchObject([
    { agent_id: folder, state: "failed", damaged: expect.stringContaining("is not a file") },
    { agent_id: torn, state: "failed", damaged: expect.stringContaining("can't be unpacked") },
    { agent_id: agentId, state: "finished", prompt: "whole" },
  ]);
});

test("an audit reports a damaged file as broken and goes on", async () => {
  using journal = damagedJournal();
  for (const [id, state] of [
    [agentId, "intact"],
    [torn, "broken"],
    [folder, "broken"],
  ] as const)
    expect(await verifyRun(runFile(journal.path, id) ?? "", id)).toMatchObject({ state });
});

test("costs and retention tell of the damaged files and count the others", async () => {
  using journal = damagedJournal();
  const problems: string[] = [];
  const costs = await runCosts(journal.path, 0, (path) => problems.push(path));
  expect(costs.map((cost) => cost.agent_id)).toEqual([agentId]);
  expect(problems.toSorted()).toEqual([endedFile(journal.path, folder), compressedFile(journal.path, torn)].toSorted());
  const report = await pruneRuns(journal.path, {
    delete_after_days: 1,
    dryRun: true,
    now: Date.now() + 5 * 86_400_000,
  });
  expect(report.deleted.map((run) => run.agent_id)).toEqual([agentId]);
  expect(report.failed.map((run) => run.agent_id).toSorted()).toEqual([torn, folder]);
});

test("a run that goes on from a damaged one is told why it can't", async () => {
  using journal = damagedJournal();
  await expect(chainHistory(journal.path, torn, () => false)).rejects.toThrow(
    /cannot continue from 1736380800001: .*can't be unpacked/,
  );
  await expect(chainHistory(journal.path, folder, () => false)).rejects.toThrow("is not a file");
});

test("a conversation that is too long for any model is refused", async () => {
  using journal = damagedJournal();
  const text = "x".repeat(1024 * 1024);
  const said = Array.from({ length: 33 }, (_, index) => JSON.stringify(event(index + 2, "text", { text })));
  const path = endedFile(journal.path, "1736380800003");
  writeFileSync(path, `${[JSON.stringify(event(1, "request", { prompt: "x" })), ...said].join("\n")}\n`);
  await expect(chainHistory(journal.path, "1736380800003", () => false)).rejects.toThrow("begin a new one");
});

test("a run that was renamed since it was listed is found under its new name", async () => {
  using journal = damagedJournal();
  const [listed] = [...runFilesOf(dirname(endedFile(journal.path, agentId)))].filter((run) => run.agentId === agentId);
  const before = { path: join(dirname(listed?.path ?? ""), `${agentId}_active.jsonl`), agentId, isActive: true };
  expect(await summaryOf(before)).toMatchObject({ state: "finished", prompt: "whole" });
  const { seq } = await appendToEnded(journal.path, agentId, (next) => event(next, "continue", { to: torn }));
  expect(seq).toBe(3);
});
