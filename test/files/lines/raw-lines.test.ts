import { expect, test } from "vitest";
import { joinLines, splitLines, textOf, withLine, withText } from "../../../files/lines/raw-lines.ts";

const files = ["", "\n", "a", "a\n", "a\r\nb\n\n", "a\rb\r", "\r\n\r\n", "a\u2028b\nc", "\uFEFFa\nb"].map((text) =>
  Buffer.from(text),
);

test.each([...files, Buffer.from([0xff, 0x0a, 0xc3, 0x0d, 0x0a, 0x80])])(
  "the bytes %j are the same after splitting and joining",
  (file) => {
    expect(joinLines(splitLines(file)).equals(file)).toBe(true);
  },
);

test("a line's text is without its end, what is no UTF-8 and a mark of byte order", () => {
  const lines = splitLines(Buffer.concat([Buffer.from("\uFEFFa\r\n"), Buffer.from([0xff]), Buffer.from("b\nc\r")]));
  expect(lines.map(textOf)).toEqual(["a", "\uFFFDb", "c"]);
});

test.each([
  ["", "new\n"],
  ["a\n", "a\nnew\n"],
  ["a", "a\nnew\n"],
  ["a\r\nb\r\n", "a\r\nb\r\nnew\r\n"],
  ["a\r\nto", "a\r\nto\r\nnew\r\n"],
  ["a\n\n", "a\n\nnew\n"],
])("a line is added to %j, ended as the others are", (before, after) => {
  expect(joinLines(withLine(splitLines(Buffer.from(before)), "new")).toString()).toBe(after);
});

test("a line's text is replaced, its end is kept, and two lines in place of one are refused", () => {
  const lines = splitLines(Buffer.from("a\r\nb\nc"));
  expect(joinLines(withText(lines, 1, "x")).toString()).toBe("x\r\nb\nc");
  expect(joinLines(withText(lines, 3, "x")).toString()).toBe("a\r\nb\nx");
  for (const text of ["x\ny", "x\r"]) expect(() => withLine(lines, text)).toThrow("more than one line");
});
