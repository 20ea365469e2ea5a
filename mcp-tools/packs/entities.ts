/** The pack `entities`: the people and things of facets. Those noticed on a day are detected; those that a facet knows, attached. */
import { z } from "zod";
import { addAka, attachEntity, detectEntity, updateEntity } from "../../journal/entries/edit-entities.ts";
import { detectedOn, entitiesOf, Entity } from "../../journal/entries/entities.ts";
import type { PlacedRecord } from "../../journal/notes/facets.ts";
import type { Edit } from "../../journal/editing/tool-calls.ts";
import { bounded, day, facetName, maxLines, oneLine, placeFields, today } from "../tool/arguments.ts";
import { defineTool, reads, type Tool, writes } from "../tool/tool.ts";
import { parseJson } from "../../protocol/json/parse-json.ts";

export const listedEntity = z.object({
  ...placeFields,
  type: z.string(),
  name: z.string(),
  description: z.string().optional(),
  aka: z.array(z.string()).optional().meta({ description: "Other names of it." }),
});

const entityType = oneLine(64, "The type of the entity, such as person, place, project, thing.");
const entityName = oneLine(200, "Its name, as it is written in full.");
const description = oneLine(2_000, "A description of the entity, in a sentence or two.");

const entityList = defineTool({
  name: "entity_list",
  title: "List entities",
  description:
    "The people and things that a facet knows; with day, those that were detected that day. " +
    "Returns path:line: name (type, other names): description.",
  input: { facet: facetName, day: day("List what was detected on this day, YYYYMMDD.").optional() },
  output: { facet: z.string(), entities: z.array(listedEntity) },
  annotations: reads,
  run({ facet, day: on }, { journal }) {
    const entities = on === undefined ? entitiesOf(journal, facet) : detectedOn(journal, facet, on);
    const what = on === undefined ? "no entities attached to" : `nothing detected on ${on} in`;
    return {
      text: bounded(entities.map(entityLine)) || `${what} facet "${facet}"`,
      structured: { facet, entities: entities.slice(0, maxLines).map(listedEntityOf) },
    };
  },
});

const changedEntity = { ...listedEntity.shape, changed: z.boolean() };

const entityDetect = defineTool({
  name: "entity_detect",
  title: "Note an entity of a day",
  description:
    "Note a person or thing that came up on a day and may matter to a facet. It is listed for that day alone, until " +
    "entity_attach takes it into the facet.",
  input: {
    facet: facetName,
    day: day("The day on which it came up, YYYYMMDD. Default: today.").optional(),
    type: entityType,
    name: entityName,
    description: description.optional(),
  },
  output: changedEntity,
  annotations: writes({ destructive: false, idempotent: true }),
  async run({ facet, day: on, ...entity }, context, once) {
    return answerOf(await detectEntity(context.journal, facet, on ?? today(context), entity, once));
  },
});

const entityAttach = defineTool({
  name: "entity_attach",
  title: "Attach an entity to a facet",
  description:
    "Take a person or thing into a facet for good. The name is enough for one that was detected in the last month.",
  input: {
    facet: facetName,
    name: entityName,
    type: entityType.optional(),
    description: description.optional(),
  },
  output: changedEntity,
  annotations: writes({ destructive: false, idempotent: true }),
  async run({ facet, ...entity }, { journal }, once) {
    return answerOf(await attachEntity(journal, facet, entity, once));
  },
});

const entityUpdate = defineTool({
  name: "entity_update",
  title: "Describe an entity anew",
  description: "Replace the description of an entity that a facet knows; with day, of one that was detected that day.",
  input: {
    facet: facetName,
    name: entityName,
    type: entityType.optional(),
    day: day("The day of the detection, YYYYMMDD.").optional(),
    description,
  },
  output: changedEntity,
  annotations: writes({ destructive: true, idempotent: true }),
  async run({ facet, description: said, ...choice }, { journal }, once) {
    return answerOf(await updateEntity(journal, facet, choice, said, once));
  },
});

const entityAddAka = defineTool({
  name: "entity_add_aka",
  title: "Add another name",
  description: "Add another name, such as a short form, to an entity that a facet knows.",
  input: { facet: facetName, name: entityName, type: entityType.optional(), aka: oneLine(200, "The other name.") },
  output: changedEntity,
  annotations: writes({ destructive: false, idempotent: true }),
  async run({ facet, aka, ...choice }, { journal }, once) {
    return answerOf(await addAka(journal, facet, choice, aka, once));
  },
});

export const entitiesPack: readonly Tool[] = [entityList, entityDetect, entityAttach, entityUpdate, entityAddAka];

/** An entity as a line for a model. */
export function entityLine({ path, line, record }: PlacedRecord<Entity>): string {
  const { type, name, aka, description: said } = record;
  const others = aka && aka.length > 0 ? `, also ${aka.join(", ")}` : "";
  return `${path}:${line}: ${name} (${type}${others})${said ? `: ${said}` : ""}`;
}

/** An entity for a program: what everybody knows of entities, and where it stands. */
export function listedEntityOf({ path, line, record }: PlacedRecord<Entity>): z.infer<typeof listedEntity> {
  const { type, name, description: said, aka } = record;
  return { path, line, type, name, ...(said !== undefined && { description: said }), ...(aka && { aka }) };
}

function answerOf({ path, line, text, changed }: Edit) {
  const entity = { path, line, record: Entity.parse(parseJson(text)) };
  return {
    text: `${entityLine(entity)}${changed ? "" : " (it was so already)"}`,
    structured: { ...listedEntityOf(entity), changed },
  };
}
