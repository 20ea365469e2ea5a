/** What agents are told of the journal: its skills, its memory, and the tools from outside. */
import { readToolCatalog } from "../journal/tool-catalog.ts";
import type { Logger } from "../proc/log.ts";
import type { SkillLine } from "./prompt/skills.ts";
import type { OutsideNames } from "./tools-for.ts";

export function skillLines(_journal: string, _log: Logger): SkillLine[] {
  return [];
}

export function memoryIndex(_journal: string): string {
  return "";
}

export async function outsideNames(journal: string): Promise<OutsideNames> {
  const { sources } = await readToolCatalog(journal);
  return {
    all: sources.flatMap(({ tools }) => tools),
    readOnly: sources.flatMap(({ read_only = [] }) => read_only),
  };
}
