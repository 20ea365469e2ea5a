import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { exampleTools } from "../example-tools.ts";
import { patienceMs } from "../../support/patience.ts";

const tools = exampleTools();
const { journal, call } = tools;

describe("search_journal", () => {
  test("answers a question with passages and where they stand", async () => {
    const { text } = await call("search_journal", {
      query: "What did we decide about the greenhouse heater?",
      limit: 3,
    });
    expect(text.split("\n")).toHaveLength(3);
    expect(text).toMatch(/^20250111\/notes\.md:\d+: .*electric fan heater: 1 kW/m);
    expect(text).toMatch(/^facets\/garden\/events\/20250111\.jsonl:1: /m);
  });

  test("keeps to the days and the facet that were asked for", async () => {
    const days = await tools.client.callTool({
      name: "search_journal",
      arguments: { query: "heater", day_from: "20250113", day_to: "20250114", limit: 50 },
    });
    expect(days.structuredContent).toEqual({ hits: expect.any(Array) });
    const found = JSON.stringify(days.structuredContent).matchAll(/"day":"(\d+)"/g);
    expect(new Set([...found].map(([, day]) => day))).toEqual(new Set(["20250113", "20250114"]));
    const facet = await call("search_journal", { query: "Priya", facet: "harbor" });
    for (const line of facet.text.split("\n")) expect(line).toMatch(/^facets\/harbor\//);
  });

  test("says so when nothing is found, and which days there are", async () => {
    const { text, isError } = await call("search_journal", { query: "zeppelin" });
    expect([isError, text]).toEqual([
      false,
      'nothing found for "zeppelin": try other words; the journal\'s days run from 20250106 to 20250119',
    ]);
  });

  test("finds what was written a moment ago, and what a run saved into a new day", async () => {
    mkdirSync(join(journal, "20250120"));
    writeFileSync(join(journal, "20250120/result.md"), "The xylophone is sold.\n");
    expect((await call("search_journal", { query: "xylophones" })).text).toBe(
      "20250120/result.md:1: The xylophone is sold.",
    );
  });

  test.each([
    [{}, "query: expected string, got nothing"],
    [{ query: "  " }, "query: expected text, not blank"],
    [{ query: 7 }, "query: expected string, got 7"],
    [{ query: "a", limit: 51 }, "limit: expected at most 50, got 51"],
    [{ query: "a", limit: 0 }, "limit: expected at least 1, got 0"],
    [{ query: "a", limit: "ten" }, 'limit: expected number, got "ten"'],
    [{ query: "a", day_from: "20250230" }, 'day_from: expected a day, YYYYMMDD, got "20250230"'],
    [{ query: "a", day_from: "20250110", day_to: "20250109" }, "day_from 20250110 is after day_to 20250109"],
    [{ query: "a", facet: "../x" }, "facet: expected a facet's name"],
    [{ query: "a", facet: "gardn" }, 'no facet "gardn": the facets are garden, harbor, music'],
    [{ query: "a", facets: "garden" }, "facets"],
  ])("wrong arguments %j are an error that says what was expected", async (args, expected) => {
    const { text, isError } = await call("search_journal", args);
    expect(isError).toBe(true);
    expect(text).toContain(expected);
  });

  test("null is an argument left out", async () => {
    expect((await call("search_journal", { query: "lemon", facet: null, limit: null })).isError).toBe(false);
  });

  test("a file that changes or goes while the server watches is followed", async () => {
    const file = join(journal, "20250119", "changing.md");
    writeFileSync(file, "The marmot sleeps.\n");
    expect((await call("search_journal", { query: "marmot" })).text).toContain("sleeps");
    writeFileSync(file, "The marmot wakes.\n");
    const found = (text: string) =>
      vi.waitFor(
        async () => expect((await call("search_journal", { query: "marmot" })).text).toContain(text),
        patienceMs,
      );
    await found("wakes");
    rmSync(file);
    await found("nothing found");
  });
});

describe("get_events", () => {
  test("gives the events of all facets, or of one, with their times", async () => {
    const all = await call("get_events", { day: "20250114" });
    expect(all.text).toContain("facets/harbor/events/20250114.jsonl:1: 09:30–13:30 Load test of a bracket: 60 kg");
    expect(all.text).toContain("facets/music/events/20250114.jsonl:1: ");
    const one = await call("get_events", { day: "20250114", facet: "music" });
    expect(one.text).not.toContain("harbor");
  });

  test("says what is only planned, and when there is nothing", async () => {
    expect((await call("get_events", { day: "20250215" })).text).toContain("Concert at Saint Anne's (planned)");
    expect((await call("get_events", { day: "20250110", facet: "music" })).text).toBe(
      'no events on 20250110 in facet "music"',
    );
    expect((await call("get_events", { day: "yesterday" })).text).toContain(
      'day: expected a day, YYYYMMDD, got "yesterday"',
    );
  });
});

test("get_facet tells what a facet is about, who belongs to it and which files it has", async () => {
  const { text } = await call("get_facet", { facet: "garden" });
  expect(text).toContain("Garden and house (facets/garden): The greenhouse");
  expect(text).toContain("events: 6 files, facets/garden/events/20250107.jsonl to facets/garden/events/20250201.jsonl");
  expect(text).toContain("facets/garden/entities.jsonl:1: Tomasz Wilk (person, also Tomasz): Neighbour");
  expect((await call("get_facet", { facet: "cars" })).text).toContain("the facets are garden, harbor, music");
});

describe("get_resource", () => {
  test("reads a file, and lines of it", async () => {
    const { text } = await call("get_resource", { path: "20250111/notes.md" });
    expect(text).toContain("# Saturday, 11 January 2025");
    expect((await call("get_resource", { path: "20250111/notes.md", from: 3, to: 3 })).text).toBe(
      "## Greenhouse heater: decided",
    );
    expect((await call("get_resource", { path: "20250111/notes.md", from: 900 })).text).toMatch(
      /has \d+ lines: there is no line 900/,
    );
  });

  test("says where it was cut, and how to go on", async () => {
    writeFileSync(
      join(journal, "20250119", "long.txt"),
      Array.from({ length: 2_000 }, (_, index) => `line ${index + 1}\n`).join(""),
    );
    const { text } = await call("get_resource", { path: "20250119/long.txt" });
    expect(text.split("\n").at(-1)).toBe("[cut after line 500: go on with from: 501]");
    expect((await call("get_resource", { path: "20250119/long.txt", from: 501, to: 502 })).text).toBe(
      "line 501\nline 502",
    );
  });

  test("sees days and facets, and nothing else of the journal or beyond it", async () => {
    symlinkSync(join(journal, ".run", "commands-token"), join(journal, "20250119", "link.md"));
    symlinkSync("/etc/passwd", join(journal, "20250119", "passwd.md"));
    const paths = [
      ".run/commands-token",
      "../x",
      "20250119/../.run/commands-token",
      "/etc/passwd",
      "cortex.json",
      "20250119/link.md",
      "20250119/passwd.md",
      "facets",
      "runs/20250119/1.jsonl",
      "20250119/.hidden",
      "20250119\\..\\x",
      "",
    ];
    for (const path of paths) {
      const { text, isError } = await call("get_resource", { path });
      expect([path, isError]).toEqual([path, true]);
      expect(text).not.toContain(journal);
    }
    expect((await call("get_resource", { path: "20250119" })).text).toContain("is a folder: it holds ");
    expect((await call("get_resource", { path: "20250119/none.md" })).text).toContain("does not exist");
  });
});
