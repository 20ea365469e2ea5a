/** The packs of tools as data. Their names and the names of their tools are those of protocol/packs.ts. */
import { backgroundPack } from "./background.ts";
import { entitiesPack } from "./entities.ts";
import { facetsPack } from "./facets.ts";
import { filesPack } from "./files.ts";
import { journalPack } from "./journal.ts";
import { memoryPack } from "./memory.ts";
import { tasksPack } from "./tasks.ts";
import { todoPack } from "./todo.ts";
import type { Tool } from "./tool.ts";
import { voicePack } from "./voice.ts";
import { webPack } from "./web.ts";

export const toolPacks: Readonly<Record<string, readonly Tool[]>> = {
  journal: journalPack,
  todo: todoPack,
  facets: facetsPack,
  entities: entitiesPack,
  voice: voicePack,
  memory: memoryPack,
  tasks: tasksPack,
  background: backgroundPack,
  files: filesPack,
  web: webPack,
};

/** Every tool by its name. */
export const tools: ReadonlyMap<string, Tool> = new Map(
  Object.values(toolPacks)
    .flat()
    .map((tool) => [tool.name, tool]),
);
