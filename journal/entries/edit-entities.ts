/** Notes and changes the people and things of a facet. Other lines, and fields that nobody here knows, stay as they are. */
import { isRecord } from "../../protocol/json/json-object.ts";
import { type EditDecision, editFile } from "../editing/edit-file.ts";
import { entitiesFile, type Entity, isAlsoCalled, isCalled, isOf, lastDetected, parseEntities } from "./entities.ts";
import { dayFile, type FacetFile, FacetFileError } from "../editing/facet-file.ts";
import type { PlacedRecord } from "../notes/facets.ts";
import { type RawLine, textOf, withLine, withText } from "../../files/lines/raw-lines.ts";
import type { CallKey, Edit } from "../editing/tool-calls.ts";
import { parseJson } from "../../protocol/json/parse-json.ts";

export type EntityText = { type: string; name: string; description?: string | undefined };

/** How many other names one entity may have. */
const maxAka = 50;

/** Notes that somebody or something came up on a day. The same again on that day changes nothing. */
export async function detectEntity(
  journal: string,
  facet: string,
  day: string,
  entity: EntityText,
  once?: CallKey,
): Promise<Edit> {
  const file = dayFile(journal, facet, "entities", day);
  const detect = (lines: RawLine[]): EditDecision => {
    const same = parseEntities(lines, file.path).find(({ record }) => isSame(entity)(record));
    if (!same) return added(file, lines, entity);
    if (entity.description === undefined || entity.description === same.record.description)
      return unchanged(lines, same);
    throw new FacetFileError(
      `${placed(same)} was detected that day with another description: entity_update with day ${day} changes it`,
    );
  };
  return await editFile(file, detect, once);
}

/**
 * Takes somebody or something into the facet. What isn't given is taken from when it was detected last.
 * @throws FacetFileError where the facet has it with something else said of it, or under another name or type
 */
export async function attachEntity(
  journal: string,
  facet: string,
  { name, type, description }: Omit<EntityText, "type"> & { type?: string | undefined },
  once?: CallKey,
): Promise<Edit> {
  const file = entitiesFile(journal, facet);
  const isComplete = type !== undefined && description !== undefined;
  const detected = isComplete ? undefined : lastDetected(journal, facet, name, type)?.record;
  const attach = (lines: RawLine[]): EditDecision => {
    const attached = parseEntities(lines, file.path);
    const same = attached.find(({ record }) => isCalled(name)(record) && isOf(type)(record));
    if (same && (description === undefined || description === same.record.description)) return unchanged(lines, same);
    if (same) throw new FacetFileError(`${placed(same)} is attached: entity_update changes its description`);
    const taken = attached.find(({ record }) => isCalled(name)(record) || isAlsoCalled(name)(record));
    if (taken) throw new FacetFileError(`${placed(taken)} has that name: choose a fuller one, or use that entity`);
    const known = type ?? detected?.type;
    if (known === undefined)
      throw new FacetFileError(`${JSON.stringify(name)} was not detected lately: give its type as well`);
    return added(file, lines, { type: known, name, description: description ?? detected?.description });
  };
  return await editFile(file, attach, once);
}

/** Which entity is meant. With `day` one that was detected that day, otherwise an attached one. */
export type EntityChoice = { name: string; type?: string | undefined; day?: string | undefined };

/** Replaces what is said of an entity. */
export async function updateEntity(
  journal: string,
  facet: string,
  choice: EntityChoice,
  description: string,
  once?: CallKey,
): Promise<Edit> {
  const file =
    choice.day === undefined ? entitiesFile(journal, facet) : dayFile(journal, facet, "entities", choice.day);
  const update = (lines: RawLine[]): EditDecision => {
    const entity = chosen(parseEntities(lines, file.path), choice, file.path);
    if (entity.record.description === description) return unchanged(lines, entity);
    return rewritten(lines, entity, { description });
  };
  return await editFile(file, update, once);
}

/** Adds another name of an attached entity. One that it has already changes nothing; one of another entity is refused. */
export async function addAka(
  journal: string,
  facet: string,
  choice: Omit<EntityChoice, "day">,
  aka: string,
  once?: CallKey,
): Promise<Edit> {
  const file = entitiesFile(journal, facet);
  const add = (lines: RawLine[]): EditDecision => {
    const entities = parseEntities(lines, file.path);
    const entity = chosen(entities, choice, file.path);
    if (isCalled(aka)(entity.record) || isAlsoCalled(aka)(entity.record)) return unchanged(lines, entity);
    const taken = entities.find(({ record }) => isCalled(aka)(record) || isAlsoCalled(aka)(record));
    if (taken)
      throw new FacetFileError(`${JSON.stringify(aka)} belongs to another entity: ${placed(taken)} has that name`);
    const others = akaIn(lines, entity);
    if (others.length >= maxAka)
      throw new FacetFileError(`${placed(entity)} has ${maxAka} other names, the most it can have`);
    return rewritten(lines, entity, { aka: [...others, aka] });
  };
  return await editFile(file, add, once);
}

const isSame = (one: EntityText) => (entity: Entity) => isCalled(one.name)(entity) && isOf(one.type)(entity);

function chosen(entities: PlacedRecord<Entity>[], { name, type }: EntityChoice, path: string): PlacedRecord<Entity> {
  const candidates = entities.filter(({ record }) => isOf(type)(record));
  const exact = candidates.filter(({ record }) => isCalled(name)(record));
  const fitting = exact.length > 0 ? exact : candidates.filter(({ record }) => isAlsoCalled(name)(record));
  const [only, ...others] = fitting;
  if (!only) throw new FacetFileError(`${JSON.stringify(name)} isn't in ${path}: ${namesOf(candidates)}`);
  if (others.length > 0)
    throw new FacetFileError(`${fitting.map(placed).join(", ")} all have that name: give the type, or the full name`);
  return only;
}

function added({ path }: FacetFile, lines: RawLine[], { type, name, description }: EntityText): EditDecision {
  const text = JSON.stringify({ type, name, ...(description !== undefined && { description }) });
  return { edit: { path, line: lines.length + 1, text, changed: true }, lines: withLine(lines, text) };
}

function rewritten(lines: RawLine[], { path, line }: PlacedRecord<Entity>, fields: Partial<Entity>): EditDecision {
  // Of the record as it stands, so that its other fields keep their order and values.
  const text = JSON.stringify({ ...fieldsOf(lines, line), ...fields });
  return { edit: { path, line, text, changed: true }, lines: withText(lines, line, text) };
}

/** Reads the names of an entity. A value that can't be read as names isn't written over. */
function akaIn(lines: RawLine[], entity: PlacedRecord<Entity>): string[] {
  const { aka = null } = fieldsOf(lines, entity.line);
  if (aka !== null && !entity.record.aka)
    throw new FacetFileError(`${placed(entity)}: its "aka" is not a list of names, fix the line first`);
  return entity.record.aka ?? [];
}

function unchanged(lines: RawLine[], { path, line }: PlacedRecord<Entity>): EditDecision {
  return { edit: { path, line, text: lineText(lines, line), changed: false } };
}

function fieldsOf(lines: RawLine[], number: number): Record<string, unknown> {
  const fields: unknown = parseJson(lineText(lines, number));
  if (!isRecord(fields)) throw new Error(`line ${number} is not a record`);
  return fields;
}

function lineText(lines: RawLine[], number: number): string {
  const line = lines[number - 1];
  if (!line) throw new Error(`there is no line ${number}`);
  return textOf(line);
}

function placed({ path, line, record }: PlacedRecord<Entity>): string {
  return `${JSON.stringify(record.name)} (${record.type}, ${path}:${line})`;
}

const maxNames = 50;

function namesOf(entities: PlacedRecord<Entity>[]): string {
  if (entities.length === 0) return "there are none";
  const more = entities.length > maxNames ? `, and ${entities.length - maxNames} more` : "";
  return `there are ${entities
    .slice(0, maxNames)
    .map(({ record }) => record.name)
    .join(", ")}${more}`;
}
