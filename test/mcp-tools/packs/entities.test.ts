import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { exampleTools } from "../example-tools.ts";
import { patienceMs } from "../../support/patience.ts";

const tools = exampleTools();
const { journal, call } = tools;
const file = (path: string) => readFileSync(join(journal, "facets", path), "utf8");

test("entity_list gives those that a facet knows, with their other names", async () => {
  const { content, structuredContent } = await tools.client.callTool({
    name: "entity_list",
    arguments: { facet: "garden" },
  });
  expect(JSON.stringify(content)).toContain(
    "facets/garden/entities.jsonl:1: Tomasz Wilk (person, also Tomasz): Neighbour",
  );
  expect(structuredContent).toMatchObject({
    facet: "garden",
    entities: [{ line: 1, type: "person", name: "Tomasz Wilk", aka: ["Tomasz"] }, {}, {}],
  });
  expect((await call("entity_list", { facet: "garden", day: "20250118" })).text).toBe(
    'nothing detected on 20250118 in facet "garden"',
  );
});

test("an entity is detected on a day, attached by its name alone, described anew and known by another name", async () => {
  const detected = {
    facet: "music",
    day: "20250118",
    type: "person",
    name: "Vera Lindqvist",
    description: "Plays the theremin",
  };
  const { text } = await call("entity_detect", detected);
  expect(text).toBe("facets/music/entities/20250118.jsonl:1: Vera Lindqvist (person): Plays the theremin");
  expect((await call("entity_detect", detected)).text).toBe(`${text} (it was so already)`);
  expect((await call("entity_list", { facet: "music", day: "20250118" })).text).toBe(text);

  const before = file("music/entities.jsonl");
  expect((await call("entity_attach", { facet: "music", name: "Vera Lindqvist" })).text).toContain(
    ":6: Vera Lindqvist",
  );
  await call("entity_add_aka", { facet: "music", name: "Vera Lindqvist", aka: "Vera" });
  await call("entity_update", { facet: "music", name: "vera", description: "Plays the theremin and the saw" });
  expect(file("music/entities.jsonl")).toBe(
    `${before}{"type":"person","name":"Vera Lindqvist","description":"Plays the theremin and the saw","aka":["Vera"]}\n`,
  );
  await vi.waitFor(async () => {
    const found = (await call("search_journal", { query: "theremin" })).text;
    expect(found).toContain("facets/music/entities.jsonl:6: ");
    expect(found).toContain("facets/music/entities/20250118.jsonl:1: ");
  }, patienceMs);
});

test("entity_update with a day describes what was detected that day", async () => {
  await call("entity_detect", { facet: "garden", day: "20250118", type: "thing", name: "Hose" });
  await call("entity_update", { facet: "garden", day: "20250118", name: "hose", description: "Frozen" });
  expect(file("garden/entities/20250118.jsonl")).toBe('{"type":"thing","name":"Hose","description":"Frozen"}\n');
});

test.each<[string, Record<string, unknown>, string]>([
  [
    "entity_attach",
    { facet: "garden", name: "Greenhouse", type: "place" },
    '"Greenhouse" (thing, facets/garden/entities.jsonl:2) has that name',
  ],
  ["entity_attach", { facet: "garden", name: "Rake" }, "give its type as well"],
  [
    "entity_update",
    { facet: "garden", name: "Rake", description: "x" },
    "there are Tomasz Wilk, Greenhouse, Greenhouse heater",
  ],
  ["entity_add_aka", { facet: "garden", name: "Greenhouse", aka: "Tomasz" }, "belongs to another entity"],
  [
    "entity_detect",
    { facet: "garden", type: "thing", name: "a\nb" },
    "name: expected one line, without control characters",
  ],
  ["entity_detect", { facet: "garden", name: "Rake" }, "Its arguments are facet, day, type, name, description."],
  ["entity_list", { facet: "nobody" }, "the facets are garden, harbor, music"],
])("%s %j is an error that says what to do", async (name, args, message) => {
  const before = file("garden/entities.jsonl");
  const { text, isError } = await call(name, args);
  expect([isError, text]).toEqual([true, expect.stringContaining(message)]);
  expect(file("garden/entities.jsonl")).toBe(before);
});
