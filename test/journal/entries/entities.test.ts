import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { addAka, attachEntity, detectEntity, updateEntity } from "../../../journal/entries/edit-entities.ts";
import { detectedOn, entitiesOf } from "../../../journal/entries/entities.ts";
import { FacetFileError } from "../../../journal/editing/facet-file.ts";
import { type FacetJournal, facetJournal } from "../facet-journal.ts";

const day = "20250118";
const ada = '{"type":"person","name":"Ada Byron","description":"Neighbour","aka":["Ada"]}';

let journal: FacetJournal;
beforeEach(() => {
  journal = facetJournal();
});
afterEach(() => journal[Symbol.dispose]());

const attach = (entity: Parameters<typeof attachEntity>[2]) => attachEntity(journal.path, "garden", entity);
const detect = (entity: Parameters<typeof detectEntity>[3], on = day) =>
  detectEntity(journal.path, "garden", on, entity);
const update = (choice: Parameters<typeof updateEntity>[2], description: string) =>
  updateEntity(journal.path, "garden", choice, description);
const aka = (name: string, other: string) => addAka(journal.path, "garden", { name }, other);

describe("detecting", () => {
  test("notes an entity for its day, in a file of that day, once", async () => {
    const entity = { type: "person", name: "Ada", description: "Came by" };
    expect(await detect(entity)).toMatchObject({ path: `facets/garden/entities/${day}.jsonl`, line: 1, changed: true });
    expect(await detect({ type: "Person", name: "ADA" })).toMatchObject({ line: 1, changed: false });
    expect(journal.read(`entities/${day}.jsonl`)).toBe('{"type":"person","name":"Ada","description":"Came by"}\n');
    expect(detectedOn(journal.path, "garden", day)[0]?.record).toEqual(entity);
    expect([entitiesOf(journal.path, "garden"), detectedOn(journal.path, "garden", "20250119")]).toEqual([[], []]);
  });

  test("with another description is refused, and updating that day's does it", async () => {
    await detect({ type: "person", name: "Ada", description: "Came by" });
    await expect(detect({ type: "person", name: "Ada", description: "Left" })).rejects.toThrow(
      `entity_update with day ${day}`,
    );
    await update({ name: "ada", day }, "Left");
    expect(journal.read(`entities/${day}.jsonl`)).toBe('{"type":"person","name":"Ada","description":"Left"}\n');
  });
});

describe("attaching", () => {
  test("adds a line in the form that docs/contract.md gives, after a torn one and beside what isn't understood", async () => {
    journal.write("entities.jsonl", `${ada}\nnot json\n{"type":"th`);
    expect(await attach({ type: "place", name: "Shed", description: "Behind the house" })).toMatchObject({ line: 4 });
    expect(journal.read("entities.jsonl")).toBe(
      `${ada}\nnot json\n{"type":"th\n{"type":"place","name":"Shed","description":"Behind the house"}\n`,
    );
    expect(entitiesOf(journal.path, "garden").map(({ line }) => line)).toEqual([1, 4]);
  });

  test("takes what isn't given from the last time that it was detected", async () => {
    await detect({ type: "person", name: "Grace", description: "First" }, "20250110");
    await detect({ type: "person", name: "Grace", description: "Last" }, "20250112");
    await attach({ name: "grace" });
    expect(entitiesOf(journal.path, "garden")[0]?.record).toEqual({
      type: "person",
      name: "grace",
      description: "Last",
    });
    await expect(attach({ name: "Nobody" })).rejects.toThrow("not detected lately: give its type as well");
  });

  test("the same again changes nothing; something else under its name is refused", async () => {
    journal.write("entities.jsonl", `${ada}\n`);
    expect(await attach({ type: "person", name: "ada byron" })).toMatchObject({ line: 1, changed: false });
    expect(await attach({ name: "Ada Byron", description: "Neighbour" })).toMatchObject({ changed: false });
    for (const [entity, message] of [
      [{ type: "person", name: "Ada Byron", description: "Else" }, "entity_update changes its description"],
      [{ type: "place", name: "Ada Byron" }, '"Ada Byron" (person, facets/garden/entities.jsonl:1) has that name'],
      [{ type: "person", name: "Ada" }, "has that name: choose a fuller one"],
    ] as const)
      await expect(attach(entity)).rejects.toThrow(message);
    expect(journal.read("entities.jsonl")).toBe(`${ada}\n`);
  });

  test("forty at once are all there", async () => {
    await Promise.all(Array.from({ length: 40 }, (_, index) => attach({ type: "thing", name: `Pot ${index}` })));
    expect(new Set(entitiesOf(journal.path, "garden").map(({ record }) => record.name)).size).toBe(40);
  });
});

describe("changing", () => {
  const odd = '{"aka": ["A."],  "name":"Ada","type":"person", "since": 1.50}';

  test("keeps the fields that it doesn't know, the ends of lines and all other lines", async () => {
    journal.write("entities.jsonl", `${odd}\r\n  ${ada}\r\n{}\n`);
    expect(await update({ name: "Ada" }, "Neighbour")).toMatchObject({ line: 1, changed: true });
    expect(journal.read("entities.jsonl")).toBe(
      `{"aka":["A."],"name":"Ada","type":"person","since":1.5,"description":"Neighbour"}\r\n  ${ada}\r\n{}\n`,
    );
    const before = journal.read("entities.jsonl");
    expect(await update({ name: "ADA" }, "Neighbour")).toMatchObject({ changed: false });
    expect(journal.read("entities.jsonl")).toBe(before);
  });

  test("adds a name once, and finds an entity by it", async () => {
    journal.write("entities.jsonl", '{"type":"person","name":"Ada Byron"}\n');
    expect(await aka("Ada Byron", "Ada")).toMatchObject({ changed: true });
    expect(await aka("ada byron", "ADA")).toMatchObject({ changed: false });
    expect(await aka("Ada", "The Countess")).toMatchObject({ line: 1, changed: true });
    expect(journal.read("entities.jsonl")).toBe('{"type":"person","name":"Ada Byron","aka":["Ada","The Countess"]}\n');
  });

  test("is refused where the name fits none, several or somebody else", async () => {
    journal.write(
      "entities.jsonl",
      `${ada}\n{"type":"person","name":"Ada Smith","aka":["Ada"]}\n{"type":"thing","name":"Lamp","aka":"lamp"}\n`,
    );
    const before = journal.read("entities.jsonl");
    for (const [attempt, message] of [
      [
        () => update({ name: "Bob" }, "x"),
        '"Bob" isn\'t in facets/garden/entities.jsonl: there are Ada Byron, Ada Smith, Lamp',
      ],
      [() => update({ name: "Ada" }, "x"), "all have that name: give the type, or the full name"],
      [() => update({ name: "Lamp", type: "person" }, "x"), "there are Ada Byron, Ada Smith"],
      [() => aka("Ada Byron", "Ada Smith"), "belongs to another entity"],
      [() => aka("Lamp", "Light"), 'its "aka" is not a list of names'],
    ] as const) {
      await expect(attempt()).rejects.toThrow(FacetFileError);
      await expect(attempt()).rejects.toThrow(message);
    }
    expect(journal.read("entities.jsonl")).toBe(before);
  });

  test("has an end: fifty other names", async () => {
    const names = Array.from({ length: 50 }, (_, index) => `n${index}`);
    journal.write("entities.jsonl", `${JSON.stringify({ type: "thing", name: "Lamp", aka: names })}\n`);
    await expect(aka("Lamp", "one more")).rejects.toThrow("has 50 other names");
  });
});

test("a file that is a link is neither read nor written", async () => {
  journal.write("../../outside.jsonl", `${ada}\n`);
  symlinkSync(join(journal.path, "outside.jsonl"), journal.at("entities.jsonl"));
  expect(() => entitiesOf(journal.path, "garden")).toThrow("is a link");
  await expect(attach({ type: "thing", name: "Lamp" })).rejects.toThrow("is a link");
  expect(journal.read("../../outside.jsonl")).toBe(`${ada}\n`);
});
