import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { runtime } from "../../../journal/config/paths.ts";
import { activeFile, endedFile } from "../../../journal/runs/run-files.ts";
import { type RunChange, RunIndex } from "../../../journal/run-index/run-index.ts";
import { temporaryJournal } from "../temporary-journal.ts";

const at = (minutes: number) => String(1_736_380_800_000 + minutes * 60_000);

/** Its folder was changed a while ago: so it is looked at again only when it is changed once more. */
function write(journal: string, id: string, isActive: boolean, events: Record<string, unknown>[]): string {
  const path = (isActive ? activeFile : endedFile)(journal, id);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, linesOf(id, 1, events));
  utimesSync(dirname(path), new Date(Number(id)), new Date(Number(id)));
  return path;
}

const linesOf = (id: string, seq: number, events: Record<string, unknown>[]) =>
  events
    .map(
      (event, index) =>
        `${JSON.stringify({ ts: Number(id) + seq + index, agent_id: id, seq: seq + index, ...event })}\n`,
    )
    .join("");

const request = { event: "request", prompt: "the beans in spring", persona: "reviewer" };
const start = { event: "start", persona: "reviewer", backend: "offline", model: "extractive", attempt: 1 };
const finish = {
  event: "finish",
  result: "Sow them in May.",
  usage: { input_tokens: 10, output_tokens: 5, cost_usd: 0.25 },
};

const quiet = { onProblem: (error: unknown) => expect.fail(String(error)) };

test("runs are found by what they were asked, by whom they were done and how they ended, page by page", async () => {
  using journal = temporaryJournal();
  write(journal.path, at(-2000), false, [request, start, finish, { event: "saved", path: "20250107/beans.md" }]);
  write(journal.path, at(1), false, [
    { ...request, persona: "default", prompt: "peas?" },
    { ...start, persona: "default" },
    { event: "error", error: "no money", reason: "budget" },
  ]);
  write(journal.path, at(2), false, [
    { ...request, continue_from: at(-2000) },
    start,
    { event: "error", error: "stopped", reason: "cancelled" },
  ]);
  write(journal.path, at(3), true, [{ ...request, continue_from: at(2), agent: "wren" }]);
  using index = new RunIndex(journal.path, quiet);
  await index.refresh();
  const idsOf = (query: Parameters<RunIndex["list"]>[0], limit = 10) => index.list(query, limit).map(({ id }) => id);
  expect(idsOf({})).toEqual([at(3), at(2), at(1), at(-2000)]);
  expect(idsOf({ before: at(2) }, 1)).toEqual([at(1)]);
  expect(idsOf({ states: ["failed", "cancelled"] })).toEqual([at(2), at(1)]);
  expect(idsOf({ persona: "reviewer", backend: "offline" })).toEqual([at(2), at(-2000)]);
  expect(idsOf({ agent: "wren" })).toEqual([at(3)]);
  expect(idsOf({ from: Number(at(0)), to: Number(at(2)) })).toEqual([at(1)]);
  expect(idsOf({ text: "MAY so" })).toEqual([at(-2000)]);
  expect(idsOf({ text: "bea" })).toEqual([at(3), at(2), at(-2000)]);
  expect(idsOf({ text: '" OR NEAR( *' })).toEqual([]);
  expect(index.count({ persona: "reviewer", before: at(2) })).toBe(3);
  expect(index.get(at(-2000))).toMatchObject({
    state: "finished",
    last_text: "Sow them in May.",
    cost_usd: 0.25,
    cost_is_estimate: false,
    input_tokens: 10,
    attempt: 1,
    saved_as: "20250107/beans.md",
    conversation: null,
  });
  expect(index.get(at(1))).toMatchObject({ state: "failed", reason: "budget", error: "no money" });
  expect(index.get(at(3))).toMatchObject({ state: "queued", conversation: at(-2000), continue_from: at(2) });
  expect(index.after(at(-2000)).map(({ row, relation }) => [row.id, relation])).toEqual([[at(2), "continued_by"]]);
});

test("a run in progress is told as it grows: what it is at, that it waits, its end and its removal", async () => {
  using journal = temporaryJournal();
  const id = at(5);
  const path = write(journal.path, id, true, [request, start]);
  const changes: RunChange[] = [];
  using index = new RunIndex(journal.path, { ...quiet, onChange: (change) => changes.push(change) });
  await index.refresh();
  const told = async (seq: number, event: Record<string, unknown>) => {
    appendFileSync(path, linesOf(id, seq, [event]));
    await index.read(id);
    const change = changes.at(-1);
    return change && "row" in change ? change.row : null;
  };
  expect(index.get(id)).toMatchObject({ state: "running", doing: { kind: "model" } });
  const call = { event: "tool_start", tool: "bash", args: { command: "ls" }, call_id: "1" };
  expect(await told(3, call)).toMatchObject({ doing: { kind: "tool", tool: "bash", argument: "ls" } });
  const asked = { event: "permission", id: "q", tool: "bash", why: "a rule", expires: 1 };
  expect(await told(4, asked)).toMatchObject({ state: "waiting", doing: { kind: "waiting", tool: "bash" } });
  expect(await told(5, { event: "permission_decided", id: "q", decision: "allow", by: "cli:main" })).toMatchObject({
    state: "running",
  });
  expect(await told(6, { event: "tool_end", call_id: "1", result: "a" })).toMatchObject({ doing: { kind: "model" } });
  const heard = changes.length;
  await index.read(id);
  expect(changes).toHaveLength(heard);
  appendFileSync(path, linesOf(id, 7, [finish]));
  renameSync(path, endedFile(journal.path, id));
  await index.refresh();
  expect(changes.at(-1)).toMatchObject({ row: { state: "finished", doing: null } });
  rmSync(endedFile(journal.path, id));
  await index.refresh();
  expect(changes.at(-1)).toEqual({ removed: id });
  expect(index.get(id)).toBeNull();
});

test("an index that was broken, or is of another version, is made again; one that is there reads no ended file anew", async () => {
  using journal = temporaryJournal();
  const id = at(1);
  const path = write(journal.path, id, false, [request, start, finish]);
  const listed = async (onProblem: (error: unknown) => void) => {
    using index = new RunIndex(journal.path, { onProblem });
    await index.refresh();
    return index.list({}, 10).map(({ prompt }) => prompt);
  };
  expect(await listed(quiet.onProblem)).toEqual([request.prompt]);
  const folderTime = statSync(dirname(path)).mtime;
  writeFileSync(path, readFileSync(path, "utf8").replace(request.prompt, "changed behind its back"));
  utimesSync(dirname(path), folderTime, folderTime);
  expect(await listed(quiet.onProblem)).toEqual([request.prompt]);
  writeFileSync(
    runtime(journal.path, "runs.sqlite"),
    "this is no database, and long enough to be looked at as one".repeat(40),
  );
  const problems: unknown[] = [];
  expect(await listed((error) => problems.push(error))).toEqual(["changed behind its back"]);
  expect(problems).toHaveLength(1);
});

test("a run whose file can't be read, or has no end, stands in the list as that", async () => {
  using journal = temporaryJournal();
  write(journal.path, at(1), false, [request, start]);
  writeFileSync(`${endedFile(journal.path, at(2))}.gz`, "no gzip");
  using index = new RunIndex(journal.path, quiet);
  await index.refresh();
  const [damaged, unended] = index.list({}, 10);
  expect(damaged).toMatchObject({ id: at(2), state: "failed", damaged: expect.stringContaining("") as string });
  expect(unended).toMatchObject({ id: at(1), state: "failed", doing: null, prompt: request.prompt });
});
