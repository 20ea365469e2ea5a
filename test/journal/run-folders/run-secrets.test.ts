import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { activeRuns } from "../../../journal/runs/active-runs.ts";
import { dropRunFolder } from "../../../journal/run-folders/run-folder.ts";
import { keepSecret, keptSecret, runsWithSecrets } from "../../../journal/run-folders/run-secrets.ts";
import { agentId, temporaryJournal } from "../temporary-journal.ts";

test("secrets are kept for their owner alone, until the run's finalization is complete", async () => {
  using journal = temporaryJournal();
  const { path } = journal;
  expect(runsWithSecrets(path)).toEqual([]);
  await keepSecret(path, agentId, "run", { a: 1 });
  await keepSecret(path, agentId, "child", { b: 2 });
  const folder = join(path, ".state/secrets");
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  expect(keptSecret(path, agentId, "run")).toEqual({ a: 1 });
  expect(keptSecret(path, agentId, "other")).toBe(undefined);
  writeFileSync(join(folder, "stray"), "");
  expect(activeRuns(path)).toEqual([agentId]);
  dropRunFolder(path, agentId);
  expect(activeRuns(path)).toEqual([]);
  expect(readdirSync(folder)).toEqual(["stray"]);
});
