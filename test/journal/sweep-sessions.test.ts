import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { listSessions, writeSession } from "../../journal/editor-sessions/session-store.ts";
import { sweepSessions } from "../../journal/retention/sweep-sessions.ts";
import { endedFile } from "../../journal/runs/run-files.ts";
import { agentId, temporaryJournal } from "./temporary-journal.ts";

test("a session of an editor goes when nobody has used it for so long, and none of its runs is left", async () => {
  using journal = temporaryJournal();
  const make = (title: string, updated: number, runs: string[]) =>
    writeSession(journal.path, {
      id: randomUUID(),
      cwd: "/garden",
      title,
      updated,
      mode: "default",
      model: "default",
      effort: "default",
      runs,
    });
  const titles = () => listSessions(journal.path).map(({ title }) => title);
  const file = endedFile(journal.path, agentId);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "{}\n");
  await make("new", 3_000, []);
  await make("old, with a run", 1_000, ["1736380800001", agentId]);
  await make("old", 900, ["1736380800001"]);
  await sweepSessions(journal.path, 2_000);
  expect(titles()).toEqual(["new", "old, with a run"]);
  rmSync(file);
  await sweepSessions(journal.path, 2_000);
  expect(titles()).toEqual(["new"]);
});
