import {
  appendFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { runCosts } from "../../../journal/costs/costs.ts";
import { activeFile, endedFile } from "../../../journal/runs/run-files.ts";
import { temporaryJournal } from "../temporary-journal.ts";

const dayMs = 24 * 3_600_000;
const at = (day: number) => String(1_736_380_800_000 + day * dayMs);
const line = (id: string, seq: number, event: string, fields = {}) =>
  `${JSON.stringify({ event, ts: Number(id) + seq, agent_id: id, seq, ...fields })}\n`;
const usage = (id: string, seq: number, input_tokens: number) => line(id, seq, "usage", { input_tokens, cost_usd: 0 });

function write(path: string, id: string, ...tokens: number[]): string {
  mkdirSync(dirname(path), { recursive: true });
  const calls = tokens.map((count, index) => usage(id, index + 3, count));
  writeFileSync(path, [line(id, 1, "request", { prompt: "x" }), line(id, 2, "start"), ...calls].join(""));
  return path;
}

async function tokens(journal: string, since = 0): Promise<Record<string, number>> {
  const problems: string[] = [];
  const costs = await runCosts(journal, since, (path, error) => problems.push(`${path}: ${String(error)}`));
  expect(problems).toEqual([]);
  const sums = costs.map(({ agent_id, parts }) => [
    agent_id,
    parts.reduce((sum, { spent }) => sum + spent.input_tokens, 0),
  ]);
  return Object.fromEntries(sums);
}

test("a file that was read once is remembered, and read again where it changed, is new or is gone", async () => {
  using journal = temporaryJournal();
  const [a, b, c] = [at(0), at(1), at(2)];
  const first = write(endedFile(journal.path, a), a, 1, 2);
  write(endedFile(journal.path, b), b, 4);
  expect(await tokens(journal.path)).toEqual({ [a]: 3, [b]: 4 });
  expect(readdirSync(join(journal.path, ".run/costs")).toSorted()).toEqual(["20250109.json", "20250110.json"]);

  appendFileSync(first, line(a, 5, "continue", { to: c }));
  write(endedFile(journal.path, c), c, 8);
  expect(await tokens(journal.path)).toEqual({ [a]: 3, [b]: 4, [c]: 8 });
  write(first, a, 5, 5);
  rmSync(endedFile(journal.path, b));
  expect(await tokens(journal.path)).toEqual({ [a]: 10, [c]: 8 });
});

test("a run that ends while the files are read counts", async () => {
  using journal = temporaryJournal();
  const [older, newer] = [at(0), String(Number(at(0)) + 1)];
  const active = write(activeFile(journal.path, older), older, 4);
  write(endedFile(journal.path, newer), newer, 8);
  const reading = tokens(journal.path);
  // The folder was looked through, and the newer run is being read.
  renameSync(active, endedFile(journal.path, older));
  expect(await reading).toEqual({ [older]: 4, [newer]: 8 });
});

test("a run in progress counts as far as it has come, and once while it is being closed", async () => {
  using journal = temporaryJournal();
  const id = at(0);
  const active = write(activeFile(journal.path, id), id, 1);
  expect(await tokens(journal.path)).toEqual({ [id]: 1 });
  appendFileSync(active, `${usage(id, 4, 2)}{"event":"usage","input_tok`);
  expect(await tokens(journal.path)).toEqual({ [id]: 3 });
  linkSync(active, endedFile(journal.path, id));
  expect(await tokens(journal.path)).toEqual({ [id]: 3 });
  unlinkSync(active);
  expect(await tokens(journal.path)).toEqual({ [id]: 3 });
});

test("the memory of costs may be deleted, torn or of another version: the files are the truth", async () => {
  using journal = temporaryJournal();
  const id = at(0);
  write(endedFile(journal.path, id), id, 3);
  const costs = join(journal.path, ".run/costs/20250109.json");
  for (const text of ["", "{", '{"version":0,"files":{}}', '{"version":1,"files":{"x":{"stamp":1}}}']) {
    await tokens(journal.path);
    writeFileSync(costs, text);
    expect(await tokens(journal.path)).toEqual({ [id]: 3 });
  }
  rmSync(dirname(costs), { recursive: true });
  expect(await tokens(journal.path)).toEqual({ [id]: 3 });
});

test("files that nobody has touched since the time that is asked for aren't read, except beside a run in progress", async () => {
  using journal = temporaryJournal();
  const [old, alive, young] = [at(0), at(1), at(2)];
  const paths = [endedFile(journal.path, old), activeFile(journal.path, alive), endedFile(journal.path, young)];
  for (const [index, id] of [old, alive, young].entries()) write(paths[index]!, id, 1);
  const longAgo = new Date(Date.now() - 10 * dayMs);
  for (const path of [paths[0]!, dirname(paths[0]!), dirname(paths[1]!)]) utimesSync(path, longAgo, longAgo);
  const since = Date.now() - dayMs;
  expect(await tokens(journal.path, since)).toEqual({ [alive]: 1, [young]: 1 });
  // What wasn't looked at isn't taken for gone.
  expect(await tokens(journal.path)).toEqual({ [old]: 1, [alive]: 1, [young]: 1 });
  await tokens(journal.path, since);
  expect(await tokens(journal.path)).toEqual({ [old]: 1, [alive]: 1, [young]: 1 });
});

test("a file that can't be read is told, and hides no other", async () => {
  using journal = temporaryJournal();
  write(endedFile(journal.path, at(0)), at(0), 3);
  mkdirSync(endedFile(journal.path, String(Number(at(0)) + 1)));
  const problems: string[] = [];
  const costs = await runCosts(journal.path, 0, (path) => problems.push(path));
  expect([costs.length, problems]).toEqual([1, [endedFile(journal.path, String(Number(at(0)) + 1))]]);
});
