import { expect, test } from "vitest";
import { expandTools, packs } from "../../../protocol/settings/packs.ts";

const external = { math: ["math.sum", "math.root"], apps: ["units.convert"], journal: ["journal.own"] };

test("external servers and apps are packs like the built-in ones, which win over one of their name", () => {
  expect(expandTools("journal, math, apps", external)).toEqual({
    names: [...(packs["journal"] ?? []), "math.sum", "math.root", "units.convert"],
    unknown: [],
  });
});

test("a server's star in an array is all of its tools, and a name is exactly that tool", () => {
  expect(expandTools(["get_facet", "math.*", "math.sum"], external).names).toEqual([
    "get_facet",
    "math.sum",
    "math.root",
  ]);
  expect(expandTools(["math.root", "nobody.*"], external).names).toEqual(["math.root", "nobody.*"]);
});

test("a tool of an external server stands by itself, in a list of packs as well", () => {
  expect(expandTools("math.sum, todo, math.sum", external)).toEqual({
    names: ["math.sum", ...(packs["todo"] ?? [])],
    unknown: [],
  });
  expect(expandTools("nobody.sum, math.*", external)).toEqual({
    names: ["math.sum", "math.root"],
    unknown: ["nobody.sum"],
  });
});

test("the pack apps is known, also where there is none", () => {
  expect(expandTools("apps")).toEqual({ names: [], unknown: [] });
});
