/** The memory and the skills of agents, to read and to edit. */
import { hash } from "node:crypto";
import { SkillChangedError, skillText, writeSkill } from "../../../journal/agents/edit-skill.ts";
import { listMemory, readWholeMemory, writeMemory } from "../../../journal/agents/memory.ts";
import { listSkills } from "../../../journal/agents/skills.ts";
import { packageFile } from "../../../proc/programs/package-file.ts";
import { WorkspaceError } from "../../../workspace/records/workspace-error.ts";
import type { Machine } from "../../machine/machine.ts";

type Journal = Pick<Machine, "journal">;

export function memoryFiles({ journal }: Journal) {
  const items = listMemory(journal).map(({ path, bytes, summary = null }) => ({ path, bytes, summary }));
  return { items, next: null };
}

/** @throws TextFileError for what is no path of the memory */
export function memoryFile({ journal }: Journal, path: string) {
  const text = readWholeMemory(journal, path);
  if (text === null) throw new WorkspaceError("not_found", `the memory has no file "${path}"`);
  return { path, text, version: versionOf(text) };
}

/** @throws WorkspaceError `conflict` when it was changed since it was read */
export async function changeMemory(
  machine: Journal,
  { path, text, version }: { path: string; text: string; version: string | null },
) {
  const before = readWholeMemory(machine.journal, path);
  if ((before === null ? null : versionOf(before)) !== version)
    throw new WorkspaceError("conflict", `"${path}" was changed since you read it`, "read it again, and change that");
  await writeMemory(machine.journal, path, text);
  return memoryFile(machine, path);
}

export async function skills({ journal }: Journal) {
  const problems: { name: string; error: string }[] = [];
  const found = await listSkills(journal, {
    builtIn: packageFile("skills"),
    onProblem: ({ name, error }) => problems.push({ name, error: error.message }),
  });
  const items = found.map(({ name, description, source, isForModels }) => {
    return { name, description, source, for_models: isForModels };
  });
  return { items, next: null, problems };
}

export function skill({ journal }: Journal, name: string) {
  const found = skillText(journal, name, packageFile("skills"));
  if (!found) throw new WorkspaceError("not_found", `there is no skill "${name}"`);
  return found;
}

export async function changeSkill(
  machine: Journal,
  name: string,
  { text, version }: { text: string; version: string | null },
) {
  try {
    await writeSkill(machine.journal, { name, text, version, builtIn: packageFile("skills") });
  } catch (error) {
    if (!(error instanceof SkillChangedError)) throw error;
    throw new WorkspaceError("conflict", error.message, "read it again, and change that");
  }
  return skill(machine, name);
}

const versionOf = (text: string) => hash("sha256", text, "hex").slice(0, 16);
