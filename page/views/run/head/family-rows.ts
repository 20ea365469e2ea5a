/** The family of a run as the rows of a tree: the runs that it came of above it, those that came of it below. Pure. */

export type Relation =
  | "continued_from"
  | "continued_by"
  | "handed_from"
  | "handed_to"
  | "task_of"
  | "task"
  | "again_of"
  | "again_by";

/** The words for the relation of a run to another, in a row. */
export const relationWords: Record<Relation, string> = {
  continued_from: "continued from",
  continued_by: "continued",
  handed_from: "handed on from",
  handed_to: "handed to",
  task_of: "sent off by",
  task: "sent off",
  again_of: "run before",
  again_by: "run again",
};

export type Relative<Run> = { relation: Relation; level: number; run: Run };

/** `run`: null for the one that is looked at. */
export type FamilyRow<Run> = { run: Run | null; word: string; depth: number; hasMore: boolean };

/** @param family those before it with levels below 0, those behind it above, each behind the one that it came of */
export function familyRows<Run>(family: readonly Relative<Run>[]): FamilyRow<Run>[] {
  const before = family.filter(({ level }) => level < 0).toSorted((one, other) => one.level - other.level);
  const behind = family.filter(({ level }) => level > 0);
  const self = Math.abs(before[0]?.level ?? 0);
  const row = ({ relation, level, run }: Relative<Run>) => ({
    run,
    word: relationWords[relation],
    depth: self + level,
    hasMore: false,
  });
  const rows = [...before.map(row), { run: null, word: "", depth: self, hasMore: false }, ...behind.map(row)];
  return rows.map((one, at) => ({ ...one, hasMore: one.depth > 0 && hasSibling(rows.slice(at + 1), one.depth) }));
}

/** Whether another row of the same depth follows before the branch ends. */
function hasSibling(rows: readonly { depth: number }[], depth: number): boolean {
  const next = rows.find((row) => row.depth <= depth);
  return next?.depth === depth;
}
