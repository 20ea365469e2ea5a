import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { liveRunsFolder } from "../../../../journal/run-folders/run-folder.ts";
import { RunIndex } from "../../../../journal/run-index/run-index.ts";
import type { RunRow } from "../../../../journal/run-index/run-row.ts";
import { activeFile, endedFile } from "../../../../journal/runs/run-files.ts";
import { findRuns } from "../../../../web/machine/runs/find-runs.ts";
import { rowAsItIs } from "../../../../web/machine/runs/liveness.ts";
import { WaitingRuns } from "../../../../web/machine/runs/waiting-runs.ts";
import { temporaryJournal } from "../../../journal/temporary-journal.ts";

const at = (minutes: number) => String(1_736_380_800_000 + minutes * 60_000);

function write(journal: string, id: string, events: Record<string, unknown>[], isActive: boolean): void {
  const path = (isActive ? activeFile : endedFile)(journal, id);
  mkdirSync(dirname(path), { recursive: true });
  const lines = events.map((event, index) =>
    JSON.stringify({ ts: Number(id), agent_id: id, seq: index + 1, ...event }),
  );
  writeFileSync(path, `${lines.join("\n")}\n`);
}

test("runs in progress are found by the state that they are in, not by the one that their files tell", async () => {
  using journal = temporaryJournal();
  const { path } = journal;
  const start = { event: "start", backend: "offline", attempt: 1 };
  for (const minutes of [1, 3, 5]) write(path, at(minutes), [start], true);
  write(path, at(2), [start, { event: "finish", result: "" }], false);
  write(path, at(4), [start, { event: "error", error: "no" }], false);
  mkdirSync(liveRunsFolder(path), { recursive: true });
  using index = new RunIndex(path, { onProblem: (error) => expect.fail(String(error)) });
  await index.refresh();
  const sources = {
    index,
    waiting: new WaitingRuns(path, (id) => index.get(id) !== null),
    asItIs: (row: RunRow) => rowAsItIs(path, row),
  };
  const found = (states: RunRow["state"][] | undefined, limit = 10, before?: string) => {
    const { items, total, isMore } = findRuns(sources, { states, before }, limit);
    return [items.map(({ id }) => id), total, isMore];
  };
  expect(found(["running"])).toEqual([[], 0, false]);
  expect(found(["orphaned"])).toEqual([[at(5), at(3), at(1)], 3, false]);
  expect(found(["failed", "orphaned"], 2)).toEqual([[at(5), at(4)], 4, true]);
  expect(found(["failed", "orphaned"], 2, at(4))).toEqual([[at(3), at(1)], 4, false]);
  expect(found(["finished"])).toEqual([[at(2)], 1, false]);
  expect(found(undefined, 10)).toEqual([[at(5), at(4), at(3), at(2), at(1)], 5, false]);
});
