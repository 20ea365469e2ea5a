import { expect, test } from "vitest";
import { mimeTypeOf, placeOfUri, uriOf } from "../../../mcp-tools/mcp/resource-uris.ts";

test.each([
  ["journal://20250109", { kind: "day", day: "20250109" }],
  ["journal://20250109/notes.md", { kind: "file", path: "20250109/notes.md" }],
  ["journal://facets/garden", { kind: "facet", facet: "garden" }],
  ["journal://facets/garden/news/20250119.md", { kind: "file", path: "facets/garden/news/20250119.md" }],
  ["journal://runs/1736380800000", { kind: "run", agentId: "1736380800000" }],
  ["journal://20250109/caf%C3%A9%20%231.md", { kind: "file", path: "20250109/café #1.md" }],
])("%s is a place", (uri, place) => {
  expect(placeOfUri(uri)).toEqual(place);
});

test.each([
  "",
  "journal://",
  "journal:20250109",
  "JOURNAL://20250109",
  "file:///etc/passwd",
  "journal://20250230",
  "journal://cortex.json",
  "journal://.run/commands-token",
  "journal://facets",
  "journal://facets/",
  "journal://facets/../runs",
  "journal://facets/UP",
  "journal://runs/1",
  "journal://runs/1736380800000/x",
  "journal://runs/..%2F..%2F.run",
  "journal://20250109%",
])("%j is none", (uri) => {
  expect(placeOfUri(uri)).toBeUndefined();
});

test("a path keeps its characters on its way through a URI", () => {
  const path = "20250109/a b/100%/ü?#.md";
  expect(placeOfUri(uriOf(path))).toEqual({ kind: "file", path });
});

test("a file's type follows from its name alone", () => {
  expect(mimeTypeOf("20250109/a.MD")).toBe("text/markdown");
  expect(mimeTypeOf("20250109/plan.png")).toBe("image/png");
  for (const path of ["20250109/a", "20250109/a.constructor", "20250109.md/a"])
    expect(mimeTypeOf(path)).toBeUndefined();
});
