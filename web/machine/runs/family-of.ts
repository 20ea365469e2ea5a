/** The family of a run: what it came of, and what came of it, by continuing, handing on, sending off and doing once more. */
import type { Run, RunRow } from "../records/run-records.ts";
import type { LiveRuns } from "./live-runs.ts";

type Relative = Run["family"][number];

/** The part of the runs that a family is read from. */
export type FamilyRuns = Pick<LiveRuns, "tasks" | "get" | "after" | "firstOfAgent" | "lastOfAgent">;

/** So far back it is walked, so far forth, and so many of what came of it are told. */
const [mostBefore, deepestAfter, mostAfter] = [20, 5, 50];

export async function familyOf(runs: FamilyRuns, row: RunRow): Promise<Pick<Run, "family" | "family_is_whole">> {
  const before = await relativesBefore(runs, row);
  const seen = new Set([row.id, ...before.map(({ run }) => run.id)]);
  const after: Relative[] = [];
  const isWhole = addAfter({ runs, seen, after }, row, 1);
  return { family: [...before, ...after], family_is_whole: isWhole };
}

/** The nearest first. */
async function relativesBefore(runs: FamilyRuns, row: RunRow): Promise<Relative[]> {
  const found: Relative[] = [];
  const seen = new Set([row.id]);
  let at: RunRow | undefined = row;
  for (let level = -1; at !== undefined && found.length < mostBefore; level--) {
    const of: RunRow = at;
    at = undefined;
    for (const { relation, id } of originsOf(runs, of)) {
      const run = seen.has(id) ? null : await runs.get(id);
      seen.add(id);
      if (!run) continue;
      found.push({ relation, of: of.id, level, run });
      at ??= run;
    }
  }
  return found;
}

/** The runs that one came of: the first of them is gone on from. */
function originsOf(runs: FamilyRuns, row: RunRow): { relation: Relative["relation"]; id: string }[] {
  const { continue_from, handed_from, again_of } = row;
  const sender = continue_from === null ? senderOf(runs, row) : null;
  return [
    ...(continue_from === null ? [] : [{ relation: "continued_from" as const, id: continue_from }]),
    ...(handed_from === null ? [] : [{ relation: "handed_from" as const, id: handed_from }]),
    ...(sender === null ? [] : [{ relation: "task_of" as const, id: sender.id }]),
    ...(again_of === null ? [] : [{ relation: "again_of" as const, id: again_of }]),
  ];
}

/** The turn in which a task was sent off: the one that its agent had at that moment. */
function senderOf(runs: FamilyRuns, { agent }: RunRow): RunRow | null {
  const task = agent === null ? null : runs.tasks.get(agent);
  const sender = task && runs.lastOfAgent(task.parent, task.at);
  return sender && task.at <= endOf(sender) ? sender : null;
}

type Walk = { runs: FamilyRuns; seen: Set<string>; after: Relative[] };

/** Puts what came of a run behind it, and what came of that behind each. @returns whether that is all */
function addAfter(walk: Walk, row: RunRow, level: number): boolean {
  const { runs, seen, after } = walk;
  let isWhole = true;
  const next = [...runs.after(row.id), ...sentOff(runs, row)].filter(({ row: run }) => !seen.has(run.id));
  for (const { row: run, relation } of next) {
    if (seen.has(run.id)) continue;
    if (after.length >= mostAfter || level > deepestAfter) return false;
    seen.add(run.id);
    after.push({ relation, of: row.id, level, run });
    isWhole = addAfter(walk, run, level + 1) && isWhole;
  }
  return isWhole;
}

/** The first turns of the tasks that a turn has sent off. */
function sentOff(runs: FamilyRuns, row: RunRow): { row: RunRow; relation: "task" }[] {
  if (row.agent === null) return [];
  const found = runs.tasks.sentOff(row.agent, Number(row.id), endOf(row));
  return found.flatMap(({ id }) => runs.firstOfAgent(id) ?? []).map((run) => ({ row: run, relation: "task" as const }));
}

const endOf = ({ ended_at }: RunRow) => (ended_at === null ? Number.POSITIVE_INFINITY : Date.parse(ended_at));
