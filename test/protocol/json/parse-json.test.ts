import { expect, test } from "vitest";
import { cutDepth, isDeeper, parseJsonCut } from "../../../protocol/json/cut-depth.ts";
import {
  isTextDeeper,
  JsonDepthError,
  maxJsonDepth,
  parseJson,
  parseLine,
  parseOwnJson,
} from "../../../protocol/json/parse-json.ts";

const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

test("64 levels are read, the 65th is named, also where JSON.stringify would fail", () => {
  expect(parseJson(nested(maxJsonDepth))).toEqual(JSON.parse(nested(maxJsonDepth)));
  expect(() => parseJson(nested(maxJsonDepth + 1))).toThrow(JsonDepthError);
  expect(() => parseJson(`{"a":${nested(7000)}}`)).toThrow("nested deeper than the 64 levels that are read");
  expect(() => parseJson("[".repeat(4_000_000))).toThrow(JsonDepthError);
  expect(parseOwnJson(nested(128))).toBeDefined();
  expect(() => parseOwnJson(nested(129))).toThrow(JsonDepthError);
});

test("brackets in strings are no levels, whatever is escaped", () => {
  for (const text of [
    "[".repeat(500),
    '\\"'.repeat(300) + "{".repeat(100),
    "\\".repeat(201) + "[".repeat(99),
    '"[{'.repeat(99),
  ])
    expect(parseJson(JSON.stringify({ text, wide: Array.from({ length: 200 }, () => [{}]) }))).toMatchObject({ text });
  expect(isTextDeeper(`"${"[".repeat(200)}`, 64)).toBe(false);
});

test("many values side by side are not deep", () => {
  const wide = JSON.stringify(Array.from({ length: 10_000 }, (_, n) => ({ n, list: [n, [n]] })));
  expect(parseJson(wide)).toEqual(JSON.parse(wide));
});

test("a value that a library has read is cut below its levels, and stays the same where it isn't deep", () => {
  const flat = { a: [1, { b: null }], c: "x" };
  expect(cutDepth(flat)).toBe(flat);
  const deep: unknown = JSON.parse(`{"a":${nested(7000)},"b":1}`);
  expect([isDeeper(deep), isDeeper(flat, 3), isDeeper(flat, 2)]).toEqual([true, false, true]);
  expect(JSON.stringify(cutDepth(deep, 3))).toBe('{"a":[["[nested too deep]"]],"b":1}');
  const circle: Record<string, unknown> = {};
  circle["a"] = [circle, circle];
  expect(isDeeper(circle)).toBe(true);
  expect(parseJsonCut(`{"id":1,"a":${nested(7000)}}`)).toMatchObject({ id: 1 });
  expect(() => parseJsonCut("{")).toThrow(SyntaxError);
});

test("a line that is not an object is none, and a file of such lines costs next to nothing", () => {
  expect(parseLine(' {"a": 1}\r')).toEqual({ a: 1 });
  expect(
    ["", " ", "x", "[1]", '{"a"', '{"a": 1} {', `{"a": ${"[".repeat(70)}${"]".repeat(70)}}`].map((line) =>
      parseLine(line),
    ),
  ).toEqual(Array(7).fill(undefined));
  const cpuOf = (read: () => void) => {
    // Of this thread alone: others collect what the tests before have left.
    const before = process.threadCpuUsage();
    read();
    return process.threadCpuUsage(before).user;
  };
  const blank = cpuOf(() => Array.from({ length: 100_000 }, () => parseLine("")));
  const torn = cpuOf(() => Array.from({ length: 100_000 }, () => parseLine("{}}")));
  expect(blank).toBeLessThan(torn / 2);
});
