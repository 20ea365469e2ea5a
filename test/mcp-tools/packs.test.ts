import { describe, expect, test } from "vitest";
import { toolPacks, tools } from "../../mcp-tools/packs.ts";
import { allTools, expandTools, packs } from "../../protocol/packs.ts";

test("the server has exactly the packs and tools that the protocol names", () => {
  const names = Object.entries(toolPacks).map(([pack, tools]) => [pack, tools.map(({ name }) => name)]);
  expect(Object.fromEntries(names)).toEqual(packs);
  expect([...tools.keys()]).toEqual(allTools);
});

describe("what a request's tools stand for", () => {
  const journal = ["search_journal", "get_events", "get_facet", "get_resource"];

  test.each([undefined, "", "  ", " , ", "default", "journal", " journal , journal,default"])(
    "%j is the journal pack, once",
    (tools) => {
      expect(expandTools(tools)).toEqual({ names: journal, unknownPacks: [] });
    },
  );

  test("an unknown pack is named, and the default one used instead", () => {
    expect(expandTools("jurnal, jurnal, toString")).toEqual({ names: journal, unknownPacks: ["jurnal", "toString"] });
  });

  test("an array is exactly those names, also where no tool has them", () => {
    expect(expandTools(["get_facet", "other"])).toEqual({ names: ["get_facet", "other"], unknownPacks: [] });
    expect(expandTools([])).toEqual({ names: [], unknownPacks: [] });
  });
});
