/** The packs of tools as data. Their names and the names of their tools are those of protocol/packs.ts. */
import { entitiesPack } from "./entities.ts";
import { facetsPack } from "./facets.ts";
import { journalPack } from "./journal.ts";
import { todoPack } from "./todo.ts";
import type { Tool } from "./tool.ts";

export const toolPacks: Readonly<Record<string, readonly Tool[]>> = {
  journal: journalPack,
  todo: todoPack,
  facets: facetsPack,
  entities: entitiesPack,
};

/** Every tool by its name. */
export const tools: ReadonlyMap<string, Tool> = new Map(
  Object.values(toolPacks)
    .flat()
    .map((tool) => [tool.name, tool]),
);
