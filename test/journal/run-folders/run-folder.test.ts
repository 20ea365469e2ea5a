import { existsSync, mkdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { activeRuns } from "../../../journal/runs/active-runs.ts";
import { activeFile } from "../../../journal/runs/run-files.ts";
import {
  beatRunsFolder,
  dropRunFolder,
  keepDocument,
  keptDocument,
  liveRuns,
  liveRunsFolder,
  makeRunFolder,
  runFolder,
} from "../../../journal/run-folders/run-folder.ts";
import { agentId, temporaryJournal } from "../temporary-journal.ts";

const later = String(Number(agentId) + 1);

test("the runs whose finalization is pending have a folder each, the oldest first", () => {
  using journal = temporaryJournal();
  expect(liveRuns(journal.path)).toEqual([]);
  makeRunFolder(journal.path, later);
  makeRunFolder(journal.path, agentId);
  mkdirSync(join(liveRunsFolder(journal.path), "no-id"));
  writeFileSync(join(liveRunsFolder(journal.path), "1736380800009"), "a file");
  expect(activeRuns(journal.path)).toEqual([agentId, later]);
  dropRunFolder(journal.path, agentId);
  dropRunFolder(journal.path, agentId);
  expect(liveRuns(journal.path)).toEqual([later]);
});

test("where .run/ was deleted, the files in progress tell", () => {
  using journal = temporaryJournal();
  mkdirSync(join(journal.path, "runs/20250109"), { recursive: true });
  writeFileSync(activeFile(journal.path, agentId), "");
  writeFileSync(join(journal.path, "runs/20250109/1736380800005.jsonl"), "");
  expect(activeRuns(journal.path)).toEqual([agentId]);
});

test("a run's folder can be read by its owner alone, and a missing record is undefined", async () => {
  using journal = temporaryJournal();
  expect(keptDocument(journal.path, agentId, "run")).toBe(undefined);
  await keepDocument(journal.path, agentId, "run", { attempt: 2 });
  expect(keptDocument(journal.path, agentId, "run")).toEqual({ attempt: 2 });
  expect(statSync(join(runFolder(journal.path, agentId), "run.json")).mode & 0o777).toBe(0o600);
  writeFileSync(join(runFolder(journal.path, agentId), "run.json"), '{"att');
  expect(keptDocument(journal.path, agentId, "run")).toBe(undefined);
});

test("each beat is later than the one before, also where the heartbeat's file has gone", () => {
  using journal = temporaryJournal();
  const path = join(liveRunsFolder(journal.path), "heartbeat");
  beatRunsFolder(journal.path);
  expect(existsSync(path)).toBe(true);
  utimesSync(path, 1, 1);
  beatRunsFolder(journal.path);
  expect(statSync(path).mtimeMs).toBeGreaterThan(1000);
});
