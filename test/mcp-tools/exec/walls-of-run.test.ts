import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { wallsOfRun } from "../../../mcp-tools/exec/walls-of-run.ts";
import { temporaryJournal } from "../../journal/temporary-journal.ts";

test("commands see the days of a journal, and nothing of other runs, agents and their files", () => {
  using journal = temporaryJournal();
  for (const name of ["20250109", "facets", "runs", "agents", "attachments", ".state"])
    mkdirSync(join(journal.path, name), { recursive: true });
  const work = join(journal.path, "agents/own/work");
  const { hidden } = wallsOfRun(journal.path, work, work, work);
  const isHidden = (name: string) => hidden.includes(join(realpathSync(journal.path), name));
  expect(["runs", "agents", "attachments", ".state"].filter((name) => !isHidden(name))).toEqual([]);
  expect(["20250109", "facets"].filter(isHidden)).toEqual([]);
});
