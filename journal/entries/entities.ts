/**
 * The people and things of a facet. Those in `entities.jsonl` are attached: the facet knows them. Those in
 * `entities/<day>.jsonl` were detected that day: noticed, and not looked into yet.
 */
import { folded } from "./folded-text.ts";
import { z } from "zod";
import { dayFile, dayFiles, type FacetFile, facetFile, readWhole } from "../editing/facet-file.ts";
import type { PlacedRecord } from "../notes/facets.ts";
import { type RawLine, splitLines, textOf } from "../../files/lines/raw-lines.ts";
import { parseLine } from "../../protocol/json/parse-json.ts";

/** A line of either file. */
export const Entity = z.looseObject({
  type: z.string(),
  name: z.string(),
  description: z.string().optional().catch(undefined),
  aka: z.array(z.string()).optional().catch(undefined),
});
export type Entity = z.infer<typeof Entity>;

/** The attached ones. Lines that aren't entities, a torn last one too, are left out. */
export function entitiesOf(journal: string, facet: string): PlacedRecord<Entity>[] {
  return entitiesIn(entitiesFile(journal, facet));
}

/** Lists the entities that were detected on a day. */
export function detectedOn(journal: string, facet: string, day: string): PlacedRecord<Entity>[] {
  return entitiesIn(dayFile(journal, facet, "entities", day));
}

/** How many days are looked through for what was detected, the last first. */
const maxDays = 31;

/** Finds the entity that was detected last under a name, of a type if one is given. */
export function lastDetected(
  journal: string,
  facet: string,
  name: string,
  type?: string,
): PlacedRecord<Entity> | undefined {
  for (const { file } of dayFiles(journal, facet, "entities").slice(-maxDays).toReversed()) {
    const found = entitiesIn(file).find(({ record }) => isCalled(name)(record) && isOf(type)(record));
    if (found) return found;
  }
  return undefined;
}

export const entitiesFile = (journal: string, facet: string) => facetFile(journal, facet, "entities.jsonl");

/** The entities of lines, each with its line. */
export function parseEntities(lines: readonly RawLine[], path: string): PlacedRecord<Entity>[] {
  return lines.flatMap((line, index) => {
    const value = parseLine(textOf(line));
    if (value === undefined) return [];
    const parsed = Entity.safeParse(value);
    return parsed.success ? [{ path, line: index + 1, record: parsed.data }] : [];
  });
}

/** Whether an entity goes by a name, however it is written in capitals. Other names that it has don't count. */
export const isCalled = (name: string) => (entity: Entity) => folded(entity.name) === folded(name);

/** Whether a name is one of the others that an entity has. */
export const isAlsoCalled = (name: string) => (entity: Entity) =>
  (entity.aka ?? []).some((other) => folded(other) === folded(name));

export const isOf = (type: string | undefined) => (entity: Entity) =>
  type === undefined || folded(entity.type) === folded(type);

function entitiesIn(file: FacetFile): PlacedRecord<Entity>[] {
  return parseEntities(splitLines(readWhole(file)?.bytes ?? Buffer.alloc(0)), file.path);
}
