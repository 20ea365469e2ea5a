import { expect, test } from "vitest";
import { bySchedule } from "../../../../page/stores/now/by-schedule.ts";
import type { RunRow } from "../../../../page/stores/now/now-store.ts";

const run = (id: string, schedule: string | null = null) => ({ id, schedule }) as RunRow;

test("runs of a schedule stand together where the first of them is, and the others where they are", () => {
  const [a, b, c, d, e] = [run("a", "audit"), run("b"), run("c", "audit"), run("d", "digest"), run("e", "audit")];
  expect(bySchedule([a, b, c, d, e])).toEqual([
    { schedule: "audit", runs: [a, c, e] },
    b,
    { schedule: "digest", runs: [d] },
  ]);
  expect(bySchedule([])).toEqual([]);
});
