/** The README's table of coding agents is the one that `npm run backends` has made. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { codersTable } from "../../tools/docs/coders-table.ts";
import { coderPackages } from "../../tools/backends/programs.ts";
import { readSeenCoders } from "../../tools/backends/seen-coders.ts";
import { coderTests } from "../backends/acp/coder-tests.ts";

test("the README has the table of coding agents as it was seen", () => {
  expect(readFileSync("README.md", "utf8")).toContain(codersTable());
});

test("each agent that is installed for them was seen in every test", () => {
  const seen = readSeenCoders();
  expect(Object.keys(seen).toSorted()).toEqual(Object.keys(coderPackages).toSorted());
  for (const tests of Object.values(seen))
    expect(Object.keys(tests).toSorted()).toEqual(Object.values(coderTests).toSorted());
});
