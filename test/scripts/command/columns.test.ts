import { expect, test } from "vitest";
import { columns } from "../../../scripts/command/layout/columns.ts";

test("cells are padded to the widest of their column, and lines end without blanks", () => {
  expect(
    columns([
      ["a", "bb", "c"],
      ["aaa", "b", ""],
    ]),
  ).toBe("a    bb  c\naaa  b");
});

test("a line is cut to the width", () => {
  expect(columns([["name", "a long text"]], 10)).toBe("name  a l…");
});

test("control characters and colours of a cell never reach the terminal", () => {
  expect(columns([["\u001b[31mred\u001b[0m\u0007\r\nrow\u009b", "x"]])).toBe("red row  x");
});

test("no rows are no lines", () => {
  expect(columns([])).toBe("");
});
