/** The map of test/README.md leads to sources and tests that exist. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./pages.ts";

const page = readFileSync(join(root, "test/README.md"), "utf8");
const rows = [...page.matchAll(/^\| (`.*) \| (.*) \|$/gm)].map(([, sources = "", tests = ""]) => ({
  sources: named(sources),
  tests: named(tests),
}));

test("the map has rows, each with a source and its tests", () => {
  expect(rows.length).toBeGreaterThan(5);
  for (const { sources, tests } of rows) expect([sources, tests]).not.toContainEqual([]);
});

test.each(rows)("the sources $sources exist, and their tests", ({ sources, tests }) => {
  const [folder = ""] = sources[0]?.split("/") ?? [];
  expect(sources.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  const found = (name: string) =>
    name.includes("/")
      ? [name, `${name}.test.ts`, `${name}.long.test.ts`].some((path) => existsSync(join(root, "test", path)))
      : globSync(`test/${folder}/**/${name}{,.long}.test.ts`, { cwd: root }).length > 0;
  expect(tests.filter((name) => !found(name))).toEqual([]);
});

/** The words in code style. */
function named(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word);
}
