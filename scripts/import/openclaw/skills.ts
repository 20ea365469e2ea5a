/** OpenClaw's skills as ours: the instructions of each, where they can be used here. */
import { messageOf } from "../../../files/errors/error-message.ts";
import { maxSkillBytes, parseSkill } from "../../../journal/agents/skills.ts";
import { namePattern } from "../../../protocol/names/names.ts";
import type { PlannedFile } from "./import-parts.ts";
import type { SourceFolder } from "./source-folder.ts";

/** In the order in which OpenClaw lets one win over another. */
const skillFolders = ["skills", ".agents/skills"];
const maxSkills = 500;

/** @param notes what the reader of the report should know of those that are carried over */
export async function plannedSkills(source: SourceFolder, notes: string[]): Promise<PlannedFile[]> {
  const planned = new Map<string, PlannedFile>();
  for (const path of skillFolders.flatMap((folder) => source.skillsBelow(folder))) {
    const from = `${path}/SKILL.md`;
    const text = source.text(from, maxSkillBytes);
    if (text === null) continue;
    try {
      const { name, requires } = await described(text, path);
      if (planned.has(name)) throw new Error(`another skill is called "${name}" and comes first`);
      if (planned.size === maxSkills) throw new Error(`at most ${maxSkills} skills are carried over`);
      planned.set(name, { unit: `skill ${name}`, what: "skill", from, to: `skills/${name}/SKILL.md`, text });
      if (requires !== null) notes.push(`${from} says that it requires ${requires}: nothing here checks that`);
    } catch (error) {
      source.leave(from, messageOf(error));
      continue;
    }
    for (const { name } of source.entries(path))
      if (name !== "SKILL.md") source.leave(`${path}/${name}`, "of a skill only the instructions are carried over");
  }
  return [...planned.values()];
}

async function described(text: string, path: string): Promise<{ name: string; requires: string | null }> {
  const folder = path.slice(path.lastIndexOf("/") + 1);
  const { head } = await parseSkill(text, folder);
  const { name = folder } = head;
  if (!namePattern.test(name)) throw new Error(`"${name.slice(0, 100)}" is not a name for a skill`);
  const metadata = head["metadata"] as { openclaw?: { requires?: unknown } } | undefined;
  const requires = metadata?.openclaw?.requires;
  return { name, requires: requires === undefined ? null : JSON.stringify(requires).slice(0, 200) };
}
