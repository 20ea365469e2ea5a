/** Context of the prompts, from the journal: its skills, its memory, and the external tools. */
import { listMemory } from "../../journal/agents/memory.ts";
import { listSkills } from "../../journal/agents/skills.ts";
import { readToolCatalog } from "../../journal/programs/tool-catalog.ts";
import type { Logger } from "../../proc/logging/log.ts";
import { packageFile } from "../../proc/programs/package-file.ts";
import { externalPacks } from "../../protocol/settings/packs.ts";
import type { SkillLine } from "./skills.ts";
import type { ExternalPacks } from "./tools-for.ts";

/** Most lines of the index; memory_list has all. */
const maxIndexLines = 200;

/** The skills that models may use. A broken one is left out, and logged. */
export async function skillLines(journal: string, log: Logger): Promise<SkillLine[]> {
  const skills = await listSkills(journal, {
    builtIn: packageFile("skills"),
    onProblem: ({ name, error }) => log.warn({ skill: name, err: error }, "a skill can't be used"),
  });
  return skills.filter(({ isForModels }) => isForModels);
}

/** Index of the memory, a line for each file; empty when there is none. */
export function memoryIndex(journal: string): string {
  const lines = listMemory(journal).map(
    ({ path, summary }) => `- ${path}${summary === undefined ? "" : `: ${summary}`}`,
  );
  return lines.length === 0 ? "" : `Your memory holds:\n${lines.slice(0, maxIndexLines).join("\n")}`;
}

export async function externalPacksOf(journal: string): Promise<ExternalPacks> {
  return externalPacks((await readToolCatalog(journal)).sources);
}
