import { expect, test } from "vitest";
import { bearsOut, citationsIn } from "../../../backends/offline/citations.ts";

test("a reader of citations finds sources in prose, lists and code, each once", () => {
  const text =
    "See (20250109/notes.md:12), `facets/a/events/20250109.jsonl:3`;\n- again 20250109/notes.md:12.\nno: notes.md, x.py:3, :4";
  expect(citationsIn(text).map(({ path, line }) => `${path}:${line}`)).toEqual([
    "20250109/notes.md:12",
    "facets/a/events/20250109.jsonl:3",
  ]);
});

test("a reader of citations takes no more than ten, and no time over a hostile text", () => {
  expect(citationsIn(Array.from({ length: 30 }, (_, line) => `a.md:${line}`).join(" "))).toHaveLength(10);
  const started = process.cpuUsage();
  citationsIn("a.md".repeat(500_000));
  citationsIn("(a:".repeat(500_000));
  // Of the processor's time, so that it is the same on a machine that has others to serve.
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(2_000);
});

test.each([
  ["Ordered beech seedlings for the hedge", true],
  ["Sold the boat to Henrik cheaply", false],
  ["See there", undefined],
])("a source with the words of a claim bears it out: %s", (claim, expected) => {
  const source = "We ordered forty seedlings, beech, for the hedge.";
  expect(bearsOut(source, { path: "a.md", line: 1, claim })).toBe(expected);
});
