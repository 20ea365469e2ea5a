import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { entitiesOf } from "../../../journal/entries/entities.ts";
import { eventsOf, facetFiles, listFacets, readFacet, UnknownFacetError } from "../../../journal/notes/facets.ts";

let journal: string;
beforeEach(() => {
  journal = mkdtempSync(join(tmpdir(), "facets-"));
});
afterEach(() => rmSync(journal, { recursive: true }));

function write(path: string, content: string): void {
  mkdirSync(dirname(join(journal, path)), { recursive: true });
  writeFileSync(join(journal, path), content);
}

describe("facets", () => {
  test("all are listed, muted ones too, and what facet.json holds beyond its schema is kept", () => {
    write("facets/work/facet.json", '{"title":"Work","muted":true,"owner":"Ada"}');
    write("facets/garden/facet.json", '{"title":"Garden","description":"Plants","emoji":"x"}');
    expect(listFacets(journal)).toEqual([
      { name: "garden", title: "Garden", description: "Plants", emoji: "x", muted: false },
      { name: "work", title: "Work", muted: true, owner: "Ada" },
    ]);
  });

  test.each(["", "{", "[]", "null", '{"title":7,"muted":"yes"}'])(
    "one with the facet.json %j is there by its name",
    (content) => {
      write("facets/work/facet.json", content);
      expect(readFacet(journal, "work")).toEqual({ name: "work", title: "work", muted: false });
    },
  );

  test("an unknown one is refused by name, with those that there are", () => {
    expect(() => readFacet(journal, "work")).toThrow("the journal has no facets");
    write("facets/garden/facet.json", "{}");
    for (const name of ["work", "../garden", "garden/", "", "Garden", ".."])
      expect(() => readFacet(journal, name)).toThrow(new UnknownFacetError(journal, name));
    expect(() => readFacet(journal, "work")).toThrow('no facet "work": the facets are garden');
  });

  test("none is reached through a link", () => {
    write("memory/events/20250109.jsonl", '{"title":"secret"}\n');
    write("facets/garden/facet.json", "{}");
    symlinkSync(join(journal, "memory"), join(journal, "facets", "linked"));
    symlinkSync(join(journal, "memory", "events"), join(journal, "facets", "garden", "events"));
    expect(listFacets(journal).map(({ name }) => name)).toEqual(["garden"]);
    expect(() => readFacet(journal, "linked")).toThrow(UnknownFacetError);
    expect(eventsOf(journal, "garden", "20250109")).toEqual([]);
    expect(facetFiles(journal, "garden", "events")).toEqual([]);
  });
});

describe("events", () => {
  test("of a day come with their lines; occurred is true where it isn't said", () => {
    write(
      "facets/work/events/20250109.jsonl",
      '{"title":"A","start":"10:00"}\n{"title":"B","occurred":false,"extra":1}\n',
    );
    expect(eventsOf(journal, "work", "20250109")).toEqual([
      { path: "facets/work/events/20250109.jsonl", line: 1, record: { title: "A", start: "10:00", occurred: true } },
      { path: "facets/work/events/20250109.jsonl", line: 2, record: { title: "B", occurred: false, extra: 1 } },
    ]);
    expect(eventsOf(journal, "work", "20250110")).toEqual([]);
  });

  test("torn lines, blank lines and what isn't an event are left out", () => {
    write("facets/work/events/20250109.jsonl", '\n42\n{"start":"10:00"}\nnull\n{"title":"A"}\r\n{"title":"to');
    expect(eventsOf(journal, "work", "20250109").map(({ line, record }) => [line, record.title])).toEqual([[5, "A"]]);
  });

  test("of what isn't a day are refused", () => {
    expect(() => eventsOf(journal, "work", "../../x")).toThrow("expected YYYYMMDD");
  });
});

test("entities and the files of a facet are listed", () => {
  write(
    "facets/work/entities.jsonl",
    '{"type":"person","name":"Ada","aka":["A."]}\n{"name":"no type"}\n{"type":"place","name":"Office","aka":"x"}\n',
  );
  for (const name of ["20250110.md", "20250109.md", ".hidden"]) write(`facets/work/todos/${name}`, "x");
  expect(entitiesOf(journal, "work").map(({ record }) => record)).toEqual([
    { type: "person", name: "Ada", aka: ["A."] },
    { type: "place", name: "Office" },
  ]);
  expect(facetFiles(journal, "work", "todos")).toEqual([
    "facets/work/todos/20250109.md",
    "facets/work/todos/20250110.md",
  ]);
  expect(facetFiles(journal, "work", "news")).toEqual([]);
});
