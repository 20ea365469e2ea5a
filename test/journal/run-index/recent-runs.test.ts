import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { endedFile } from "../../../journal/runs/run-files.ts";
import { RunIndex } from "../../../journal/run-index/run-index.ts";
import { temporaryJournal } from "../temporary-journal.ts";

const base = 1_736_380_800_000;
const minuteMs = 60_000;
const at = (minutes: number) => String(base + minutes * minuteMs);

const finish = { event: "finish", result: "done" };
const error = { event: "error", error: "no", reason: "provider" };
const usage = { event: "usage", input_tokens: 1, output_tokens: 1, cost_usd: 0.25 };

/** A run that was asked for at one minute and ended at another. */
function write(journal: string, begin: number, end: number, request: object, last: object): string {
  const id = at(begin);
  const path = endedFile(journal, id);
  mkdirSync(dirname(path), { recursive: true });
  const lines = [
    { event: "request", prompt: "the beans", ...request },
    { event: "start", persona: "default", backend: "offline", attempt: 1 },
    usage,
    { ts: Number(at(end)), ...last },
  ];
  const text = lines.map((line, index) => JSON.stringify({ ts: Number(id), agent_id: id, seq: index + 1, ...line }));
  writeFileSync(path, `${text.join("\n")}\n`);
  utimesSync(dirname(path), new Date(Number(id)), new Date(Number(id)));
  return id;
}

async function indexOf(journal: string): Promise<RunIndex> {
  const index = new RunIndex(journal, { onProblem: (problem) => expect.fail(String(problem)) });
  await index.refresh();
  return index;
}

test("a failed run is repaired by the same once more, by going on, by its schedule's next try and by its agent's next turn", async () => {
  using journal = temporaryJournal();
  const failed = (begin: number, request: object) => write(journal.path, begin, begin, request, error);
  const alone = failed(1, {});
  const doneAgain = failed(2, {});
  const againInVain = failed(3, { again_of: doneAgain });
  write(journal.path, 4, 4, { again_of: againInVain }, finish);
  const goneOn = failed(5, {});
  write(journal.path, 6, 6, { continue_from: goneOn }, finish);
  const goneOnInVain = failed(7, {});
  write(journal.path, 8, 8, { continue_from: goneOnInVain }, { ...error, reason: "cancelled" });
  const scheduled = failed(9, { schedule: "audit", prompt: "Thursday" });
  const earlier = failed(10, { schedule: "audit", prompt: "Friday" });
  write(journal.path, 11, 11, { schedule: "audit", prompt: "Thursday" }, finish);
  const turn = failed(12, { agent: "wren" });
  write(journal.path, 13, 13, { agent: "wren" }, finish);
  using index = await indexOf(journal.path);
  const found = index.recent.failed(base, 100);
  expect(found.map(({ id }) => id)).toEqual(
    [turn, earlier, scheduled, goneOnInVain, goneOn, againInVain, doneAgain, alone].toSorted().toReversed(),
  );
  const open = found.filter((row) => !index.recent.isMended(row)).map(({ id }) => id);
  expect(open).toEqual([earlier, goneOnInVain, alone]);
});

test("what ended since a moment is found by its end, schedules apart, and adds up", async () => {
  using journal = temporaryJournal();
  write(journal.path, -30, -20, {}, finish);
  const overMidnight = write(journal.path, -10, 5, {}, finish);
  const stopped = write(journal.path, 6, 7, {}, { ...error, reason: "cancelled" });
  const first = write(journal.path, 8, 8, { schedule: "audit" }, finish);
  const second = write(journal.path, 9, 9, { schedule: "audit" }, error);
  write(journal.path, 10, 10, { schedule: "never-done" }, error);
  using index = await indexOf(journal.path);
  const { recent } = index;
  expect(recent.done(base, 10).map(({ id }) => id)).toEqual([stopped, overMidnight]);
  expect(recent.done(base, 1).map(({ id }) => id)).toEqual([stopped]);
  expect(recent.schedules(base, 10)).toEqual([
    { schedule: "audit", runs: 2, failed: 1, cost_usd: 0.5, ended_at: Number(second) },
  ]);
  expect(recent.ofSchedule("audit", base, 10).map(({ id }) => id)).toEqual([second, first]);
  expect(recent.sums(base)).toEqual({ runs: 5, done: 3, cost_usd: 1.25, is_estimate: false });
  expect(recent.sums(Number(at(100)))).toEqual({ runs: 0, done: 0, cost_usd: 0, is_estimate: false });
});
