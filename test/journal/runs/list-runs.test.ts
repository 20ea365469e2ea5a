import { linkSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { listRuns } from "../../../journal/runs/list-runs.ts";
import { activeFile, endedFile } from "../../../journal/runs/run-files.ts";
import { temporaryJournal } from "../temporary-journal.ts";

const at = (minutes: number) => String(1_736_380_800_000 + minutes * 60_000);

function write(journal: string, id: string, isActive: boolean, events: Record<string, unknown>[]): void {
  const path = (isActive ? activeFile : endedFile)(journal, id);
  mkdirSync(dirname(path), { recursive: true });
  const lines = events.map((event, index) =>
    JSON.stringify({ ts: Number(id) + index, agent_id: id, seq: index + 1, ...event }),
  );
  writeFileSync(path, `${lines.join("\n")}\n`);
}

const request = { event: "request", prompt: "hello", persona: "reviewer" };
const start = { event: "start", persona: "reviewer", backend: "offline", model: "extractive" };

test("runs are listed newest first, each as it stands", async () => {
  using journal = temporaryJournal();
  const usage = { input_tokens: 10, output_tokens: 5, cost_usd: 0.25 };
  write(journal.path, at(-1000), false, [request, start, { event: "finish", result: "yesterday", usage }]);
  write(journal.path, at(1), false, [request, start, { event: "error", error: "x", reason: "budget" }]);
  write(journal.path, at(2), true, [request, start, { event: "error", error: "x", terminal: false }]);
  write(journal.path, at(3), true, [request]);
  const runs = await listRuns(journal.path, 10);
  expect(runs.map(({ agent_id, state }) => [agent_id, state])).toEqual([
    [at(3), "running"],
    [at(2), "running"],
    [at(1), "failed"],
    [at(-1000), "finished"],
  ]);
  expect(runs[2]).toMatchObject({ reason: "budget", persona: "reviewer", backend: "offline", model: "extractive" });
  expect(runs[3]).toMatchObject({ total_tokens: 15, cost_usd: 0.25, prompt: "hello", reason: null });
  expect(runs[3]?.ended).toBe(new Date(Number(at(-1000)) + 2).toISOString());
  expect(runs[0]).toMatchObject({ started: null, ended: null, backend: null, total_tokens: null });
  expect(await listRuns(journal.path, 2)).toEqual(runs.slice(0, 2));
});

test("while a run is being closed it is listed once, as one that has ended", async () => {
  using journal = temporaryJournal();
  write(journal.path, at(0), true, [request, start, { event: "finish", result: "done" }]);
  linkSync(activeFile(journal.path, at(0)), endedFile(journal.path, at(0)));
  write(journal.path, at(1), true, [request, start]);
  expect((await listRuns(journal.path, 10)).map(({ agent_id, state }) => [agent_id, state])).toEqual([
    [at(1), "running"],
    [at(0), "finished"],
  ]);
});

test("a run of many lines, or of long ones, is summed up like any other", async () => {
  using journal = temporaryJournal();
  const texts = Array.from({ length: 5000 }, (_, index) => ({
    event: "text",
    text: `line ${index} ${"x".repeat(50)}`,
  }));
  write(journal.path, at(0), false, [request, start, ...texts, { event: "finish", result: "many" }]);
  const long = "y".repeat(200_000);
  write(journal.path, at(1), false, [{ ...request, prompt: long }, start, { event: "finish", result: long }]);
  expect(await listRuns(journal.path, 10)).toMatchObject([
    { state: "finished", prompt: long, backend: "offline" },
    { state: "finished", prompt: "hello", backend: "offline" },
  ]);
});

test("a file that isn't a run's is passed over, and a journal without runs has an empty list", async () => {
  using journal = temporaryJournal();
  expect(await listRuns(journal.path, 10)).toEqual([]);
  write(journal.path, at(0), false, [request]);
  writeFileSync(`${dirname(endedFile(journal.path, at(0)))}/notes.txt`, "x");
  mkdirSync(`${journal.path}/runs/not-a-day`);
  expect((await listRuns(journal.path, 10)).map(({ agent_id }) => agent_id)).toEqual([at(0)]);
});
