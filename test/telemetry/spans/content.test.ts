import { expect, test } from "vitest";
import { contentJson, contentText } from "../../../telemetry/spans/content.ts";
import { begun, eventsOf, map } from "./mapped.ts";

/** The mark of a cut is a character more. */
const longest = 32_768 + 1;
const long = "x".repeat(100_000);

test("a text is cut where it is long, and stays one where the cut meets a character of two halves", () => {
  expect(contentText("short")).toBe("short");
  expect(contentText(17)).toBeUndefined();
  expect(contentText(long)?.length).toBeLessThanOrEqual(longest);
  for (const shift of ["", "x"]) {
    const cut = contentText(shift + "🌱".repeat(100_000)) ?? "";
    expect(cut.length).toBeLessThanOrEqual(longest);
    expect(cut.isWellFormed()).toBe(true);
  }
});

test("a value is JSON, cut as a whole", () => {
  expect(contentJson({ path: "a" })).toBe('{"path":"a"}');
  expect(contentJson(undefined)).toBeUndefined();
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`field${index}`, "x".repeat(5000)]));
  for (const value of [long, [long, long], { text: long }, many])
    expect(contentJson(value)?.length).toBeLessThanOrEqual(longest);
});

test("no attribute of a span is longer than receivers take, whatever was said", () => {
  const { spans } = map(
    eventsOf([
      { ...begun[0], event: "request", at: 0, prompt: long },
      { event: "start", at: 100 },
      { event: "tool_start", at: 200, tool: "read", call_id: "c1", args: { path: long, other: long } },
      { event: "tool_end", at: 300, tool: "read", call_id: "c1", result: [long, long] },
      { event: "error", at: 900, error: long, reason: "crash" },
    ]),
    { content: true },
  );
  const words = spans.flatMap(({ attributes, failure }) => [...Object.values(attributes), failure?.message ?? ""]);
  const lengths = words.map((value) => (typeof value === "string" ? value.length : 0));
  // The prompt stands in a message, which is a little longer.
  expect(Math.max(...lengths)).toBeLessThan(longest + 200);
  expect(lengths.filter((length) => length > 30_000)).toHaveLength(4);
});
