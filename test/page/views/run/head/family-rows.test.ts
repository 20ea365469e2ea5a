import { expect, test } from "vitest";
import { familyRows, type Relative } from "../../../../../page/views/run/head/family-rows.ts";

const relative = (relation: Relative<string>["relation"], level: number, run: string) => ({ relation, level, run });

test("a family is a tree: what the run came of above it, the farthest first, and what came of it below, level by level", () => {
  const rows = familyRows([
    relative("continued_from", -1, "near"),
    relative("task_of", -2, "far"),
    relative("task", 1, "child"),
    relative("continued_by", 2, "grandchild"),
    relative("again_by", 1, "twin"),
  ]);
  expect(rows.map(({ run, word, depth }) => [run, word, depth])).toEqual([
    ["far", "sent off by", 0],
    ["near", "continued from", 1],
    [null, "", 2],
    ["child", "sent off", 3],
    ["grandchild", "continued", 4],
    ["twin", "run again", 3],
  ]);
  expect(rows.filter(({ hasMore }) => hasMore).map(({ run }) => run)).toEqual(["child"]);
});

test("a run without a family stands alone", () => {
  expect(familyRows([])).toEqual([{ run: null, word: "", depth: 0, hasMore: false }]);
});
