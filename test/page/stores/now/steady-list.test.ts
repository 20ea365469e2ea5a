import { expect, test } from "vitest";
import { type Kept, steadyList } from "../../../../page/stores/now/steady-list.ts";

const rules = { keyOf: (item: string) => item.charAt(0), newOnes: "first", isHeld: false } as const;
const kept = (...items: string[]): Kept<string>[] => items.map((item) => ({ item, isGone: false }));

test("new rows come first, and the others keep their order, whatever order the list has", () => {
  expect(steadyList(kept("a", "b"), ["c", "b2", "a"], rules)).toEqual({ rows: kept("c", "a", "b2"), waiting: 0 });
});

test("new rows come last where the oldest is to be looked at first", () => {
  expect(steadyList(kept("a"), ["b", "a"], { ...rules, newOnes: "last" }).rows).toEqual(kept("a", "b"));
});

test("while somebody points at it no row comes and none goes, and each is up to date", () => {
  const held = steadyList(kept("a", "b"), ["c", "b2"], { ...rules, isHeld: true });
  expect(held).toEqual({
    rows: [
      { item: "a", isGone: true },
      { item: "b2", isGone: false },
    ],
    waiting: 1,
  });
  expect(steadyList(held.rows, ["c", "b2"], rules)).toEqual({ rows: kept("c", "b2"), waiting: 0 });
});

test("a row that went and came back while it was held is one row", () => {
  const held = steadyList(kept("a"), [], { ...rules, isHeld: true });
  expect(steadyList(held.rows, ["a2"], { ...rules, isHeld: true }).rows).toEqual(kept("a2"));
});
