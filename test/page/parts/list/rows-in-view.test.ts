import { expect, test } from "vitest";
import { rowsInView } from "../../../../page/parts/list/rows-in-view.ts";

const view = { top: 0, size: 290, offset: 0, count: 100_000, height: 29 };

test("the rows in view, and six around them, are in the page", () => {
  expect(rowsInView(view)).toEqual({ first: 0, last: 16 });
  expect(rowsInView({ ...view, top: 29_000 })).toEqual({ first: 994, last: 1016 });
});

test("the last row has nothing behind it at the end", () => {
  expect(rowsInView({ ...view, top: 100_000 * 29 - 290 })).toEqual({ first: 99_984, last: 100_000 });
  expect(rowsInView({ ...view, top: 99_999_999 })).toEqual({ first: 99_999, last: 100_000 });
});

test("the head before the rows is not a row", () => {
  expect(rowsInView({ ...view, offset: 290 })).toEqual({ first: 0, last: 6 });
});

test("no rows are none", () => expect(rowsInView({ ...view, count: 0 })).toEqual({ first: 0, last: 0 }));
