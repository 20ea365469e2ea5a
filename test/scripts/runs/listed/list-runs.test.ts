import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { activeFile, endedFile } from "../../../../journal/runs/run-files.ts";
import { temporaryJournal } from "../../../journal/temporary-journal.ts";
import { runCortex, runCortexJson } from "../../run-command.ts";

/** Minutes after midnight of 9 January 2025, in UTC. */
const at = (minutes: number) => String(1_736_380_800_000 + minutes * 60_000);

function write(journal: string, id: string, events: Record<string, unknown>[], isActive = false): void {
  const path = (isActive ? activeFile : endedFile)(journal, id);
  mkdirSync(dirname(path), { recursive: true });
  const lines = events.map((event, index) =>
    JSON.stringify({ ts: Number(id) + index, agent_id: id, seq: index + 1, ...event }),
  );
  writeFileSync(path, `${lines.join("\n")}\n`);
}

const request = { event: "request", prompt: "the beans in spring", persona: "reviewer", schedule: "reviewer" };
const start = { event: "start", persona: "reviewer", backend: "offline", model: "extractive", attempt: 1 };
const [finished, failed, stopped, left] = [at(-2000), at(1), at(2), at(1380)];

/** A journal with a run that finished two days earlier, one that failed, one that was stopped, and one that nobody has. */
function journalOfRuns() {
  const journal = temporaryJournal();
  write(journal.path, finished, [request, start, { event: "finish", result: "Sow them in May." }]);
  write(journal.path, failed, [
    { event: "request", prompt: "peas?" },
    { ...start, persona: "default", model: "large" },
    { event: "error", error: "no money", reason: "budget" },
  ]);
  write(journal.path, stopped, [request, start, { event: "error", error: "stopped", reason: "cancelled" }]);
  write(
    journal.path,
    left,
    [
      { event: "request", prompt: "leeks?" },
      { ...start, backend: "mine" },
    ],
    true,
  );
  mkdirSync(join(journal.path, ".run", "runs"), { recursive: true });
  return journal;
}

test("runs are listed by words, state, persona, model, backend, schedule and days", async () => {
  using journal = journalOfRuns();
  const found = async (...filters: string[]) => {
    const { document } = await runCortexJson(journal.path, ["runs", "list", ...filters], { CORTEX_TZ: "UTC" });
    return (document["runs"] as { agent_id: string }[]).map((run) => run.agent_id);
  };
  for (const [filters, ids] of [
    [
      ["--text", "beans"],
      [stopped, finished],
    ],
    [["--text", "sow may"], [finished]],
    [
      ["--text", "BEA"],
      [stopped, finished],
    ],
    [["--text", "..."], []],
    [["--state", "failed"], [failed]],
    [
      ["--state", "cancelled,finished"],
      [stopped, finished],
    ],
    [["--state", "orphaned"], [left]],
    [["--state", "running"], []],
    [["--persona", "default"], [failed]],
    [["--model", "large"], [failed]],
    [["--backend", "mine"], [left]],
    [
      ["--schedule", "reviewer"],
      [stopped, finished],
    ],
    [
      ["--day", "20250109"],
      [left, stopped, failed],
    ],
    [["--day", "20250107", "--day-to", "20250108"], [finished]],
    [["--day-to", "20250108"], [finished]],
    [["--day", "20250109", "-n", "1"], [left]],
    [["--persona", "reviewer", "--state", "cancelled"], [stopped]],
  ] as const)
    expect([filters, await found(...filters)]).toEqual([filters, ids]);
});

test("a day of runs is one in the time zone of who asks", async () => {
  using journal = journalOfRuns();
  const on = async (day: string, zone: string) =>
    (await runCortex(journal.path, ["runs", "list", "--day", day], { CORTEX_TZ: zone })).stdout;
  expect(await on("20250110", "UTC")).toBe("no run fits these filters");
  expect(await on("20250110", "Asia/Tokyo")).toMatch(new RegExp(`^${left} +orphaned +reviewer +mine +leeks\\?$`));
});

test.each([
  [["--state", "happy"], '--state "happy": expected states with commas between', "queued, running, waiting"],
  [["--day", "tomorrow"], '--day "tomorrow": expected a date as YYYYMMDD', "--day 20250109"],
  [["--day-to", "20250230"], '--day-to "20250230": expected a date as YYYYMMDD', "--day-to 20250131"],
  [["--persona", ""], '--persona ""', "cortex runs --help"],
  [["--modle", "large"], "--modle", "did you mean --model?"],
])("a filter that can't be used, %j, exits 2 with what can", async (args, said, remedy) => {
  using journal = journalOfRuns();
  const { code, stderr } = await runCortex(journal.path, ["runs", "list", ...args]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
  expect(stderr).toContain(remedy);
});

test("an index that can't be used is named, with what works without it", async () => {
  using journal = journalOfRuns();
  mkdirSync(join(journal.path, ".run/runs.sqlite"), { recursive: true });
  const { code, stderr } = await runCortex(journal.path, ["runs", "list", "--text", "beans"]);
  expect(code).toBe(1);
  expect(stderr).toContain("the index of runs can't be used, .run/runs.sqlite: ");
  expect(stderr).toMatch(/without a filter none is needed: (npx )?cortex runs list/);
  expect((await runCortex(journal.path, ["runs", "list"])).code).toBe(0);
});

test("lists that are asked for at once, of a journal that was never read, find the same", async () => {
  using journal = journalOfRuns();
  const all = await Promise.all([1, 2, 3].map(() => runCortexJson(journal.path, ["runs", "list", "--text", "beans"])));
  for (const { document } of all)
    expect((document["runs"] as { agent_id: string }[]).map(({ agent_id }) => agent_id)).toEqual([stopped, finished]);
});
