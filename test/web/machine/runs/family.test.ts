/** The family of a run: tasks by the descriptors of their agents, several levels deep, and bounded. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writeDescriptor } from "../../../../journal/agents/agent-files.ts";
import { endedFile } from "../../../../journal/runs/run-files.ts";
import { RunIndex } from "../../../../journal/run-index/run-index.ts";
import { familyOf, type FamilyRuns } from "../../../../web/machine/runs/family-of.ts";
import { TaskAgents } from "../../../../web/machine/runs/task-agents.ts";

const base = 1_736_380_800_000;
const at = (minutes: number) => String(base + minutes * 60_000);
const main = "m".padEnd(24, "1");
const task = "t".padEnd(24, "1");
const subTask = "s".padEnd(24, "1");

let journal: string;
beforeEach(() => {
  journal = mkdtempSync(join(tmpdir(), "cortex-family-"));
});
afterEach(() => rmSync(journal, { recursive: true, force: true }));

/** A run that took a minute. */
function write(minutes: number, request: object = {}): string {
  const id = at(minutes);
  const path = endedFile(journal, id);
  mkdirSync(dirname(path), { recursive: true });
  const events = [
    { event: "request", prompt: "the beans", ts: Number(id), ...request },
    { event: "finish", result: "done", ts: Number(at(minutes + 1)) },
  ];
  writeFileSync(
    path,
    events.map((event, at) => `${JSON.stringify({ agent_id: id, seq: at + 1, ...event })}\n`).join(""),
  );
  return id;
}

/** A task that was sent off half a minute after another. */
const sentOff = (id: string, parent: string, minutes: number) =>
  writeDescriptor(journal, { id, kind: "subagent", parent, name: "look", created: Number(at(minutes)) + 30_000 });

async function family(id: string) {
  using index = new RunIndex(journal, { onProblem: (problem) => expect.fail(String(problem)) });
  await index.refresh();
  const runs: FamilyRuns = {
    tasks: new TaskAgents(journal),
    get: async (run) => index.get(run),
    after: (run) => index.after(run),
    firstOfAgent: (agent) => index.firstOfAgent(agent),
    lastOfAgent: (agent, atMs) => index.list({ agent, before: String(atMs + 1) }, 1)[0] ?? null,
  };
  const row = index.get(id);
  if (!row) throw new Error(`there is no run ${id}`);
  const { family: found, family_is_whole: isWhole } = await familyOf(runs, row);
  return { isWhole, rows: found.map(({ relation, of, level, run }) => [level, relation, of, run.id]) };
}

test("tasks stand below the turn that sent them off, with theirs, and lead back up to it", async () => {
  await writeDescriptor(journal, { id: main, kind: "main", created: base });
  const earlier = write(0, { agent: main });
  const turn = write(2, { agent: main, continue_from: earlier });
  await sentOff(task, main, 2);
  const first = write(4, { agent: task, persona: "general" });
  await sentOff(subTask, task, 4);
  const below = write(6, { agent: subTask });
  const resumed = write(8, { agent: task, continue_from: first });
  const again = write(10, { again_of: turn });
  expect((await family(turn)).rows).toEqual([
    [-1, "continued_from", turn, earlier],
    [1, "again_by", turn, again],
    [1, "task", turn, first],
    [2, "continued_by", first, resumed],
    [2, "task", first, below],
  ]);
  expect((await family(below)).rows).toEqual([
    [-1, "task_of", below, first],
    [-2, "task_of", first, turn],
    [-3, "continued_from", turn, earlier],
  ]);
  expect((await family(earlier)).rows).toEqual([
    [1, "continued_by", earlier, turn],
    [2, "again_by", turn, again],
    [2, "task", turn, first],
    [3, "continued_by", first, resumed],
    [3, "task", first, below],
  ]);
});

test("a task isn't that of a turn that was over when it was sent off", async () => {
  await writeDescriptor(journal, { id: main, kind: "main", created: base });
  const turn = write(2, { agent: main });
  await sentOff(task, main, 7);
  const first = write(9, { agent: task });
  expect([await family(turn), await family(first)].map(({ rows }) => rows)).toEqual([[], []]);
});

test("a family that is deep or wide is told in part, and says so; runs that name each other end nothing", async () => {
  let id = write(0);
  const root = id;
  for (let minutes = 1; minutes <= 7; minutes++) id = write(minutes, { continue_from: id });
  const deep = await family(root);
  expect([deep.rows.length, deep.isWhole]).toEqual([5, false]);
  expect((await family(id)).rows.map(([level]) => level)).toEqual([-1, -2, -3, -4, -5, -6, -7]);
  for (let minutes = 20; minutes < 80; minutes++) write(minutes, { again_of: id });
  const wide = await family(id);
  expect([wide.rows.filter(([, relation]) => relation === "again_by").length, wide.isWhole]).toEqual([50, false]);
  const one = write(100, { continue_from: at(101) });
  const other = write(101, { continue_from: at(100) });
  expect((await family(one)).rows).toEqual([[-1, "continued_from", one, other]]);
});
