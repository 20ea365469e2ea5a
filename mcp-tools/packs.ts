/** The packs of tools as data. Their names and the names of their tools are those of protocol/packs.ts. */
import { journalPack } from "./journal.ts";
import type { Tool } from "./tool.ts";

export const toolPacks: Readonly<Record<string, readonly Tool[]>> = {
  journal: journalPack,
};

/** Every tool by its name. */
export const tools: ReadonlyMap<string, Tool> = new Map(
  Object.values(toolPacks)
    .flat()
    .map((tool) => [tool.name, tool]),
);
