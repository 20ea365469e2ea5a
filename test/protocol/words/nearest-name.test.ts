import { expect, test } from "vitest";
import { nearestName } from "../../../protocol/words/nearest-name.ts";

const known = ["default_backend", "max_concurrent", "limits", "mcp", "openai", "offline"];

test.each([
  ["max_concurent", "max_concurrent"],
  ["Limits", "limits"],
  ["limit", "limits"],
  ["opnai", "openai"],
  ["mpc", "mcp"],
  ["default-backend", "default_backend"],
])("%s was probably meant to be %s", (name, meant) => {
  expect(nearestName(name, known)).toBe(meant);
});

test.each(["colour", "xyz", "", "m", "x".repeat(100_000)])("no name is near to %j", (name) => {
  expect(nearestName(name, known)).toBeNull();
});

test("the nearest of several near ones is taken, and without any known name there is none", () => {
  expect(nearestName("facets", ["facet", "facets_", "factes"])).toBe("facet");
  expect(nearestName("facets", [])).toBeNull();
});
