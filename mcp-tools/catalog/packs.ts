/** The packs of tools as data. Their names and the names of their tools are those of protocol/settings/packs.ts. */
import { backgroundPack } from "../packs/background.ts";
import { cortexPack } from "../runs/cortex-pack.ts";
import { entitiesPack } from "../packs/entities.ts";
import { execPack } from "../packs/exec.ts";
import { facetsPack } from "../packs/facets.ts";
import { filesPack } from "../packs/files.ts";
import { journalPack } from "../packs/journal.ts";
import { memoryPack } from "../packs/memory.ts";
import { tasksPack } from "../packs/tasks.ts";
import { threadsPack } from "../packs/threads.ts";
import { todoPack } from "../packs/todo.ts";
import type { Tool } from "../tool/tool.ts";
import { basicsPack, voicePack } from "../packs/voice.ts";
import { webPack } from "../packs/web.ts";

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
  exec: execPack,
  basics: basicsPack,
  threads: threadsPack,
  cortex: cortexPack,
};

/** Every tool by its name. */
export const tools: ReadonlyMap<string, Tool> = new Map(
  Object.values(toolPacks)
    .flat()
    .map((tool) => [tool.name, tool]),
);
