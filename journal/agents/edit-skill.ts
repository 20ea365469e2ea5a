/** Skills of the journal as people edit them: the text of SKILL.md, guarded by the version that was read. */
import { hash } from "node:crypto";
import { join } from "node:path";
import { messageOf } from "../../files/errors/error-message.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";
import { namePattern } from "../../protocol/names/names.ts";
import { inside } from "../config/paths.ts";
import { maxSkillBytes, parseSkill, readSkillText, SkillError } from "./skills.ts";

/** Somebody has changed it since it was read. */
export class SkillChangedError extends Error {
  override name = "SkillChangedError";
}

export type SkillText = { name: string; text: string; source: "journal" | "package"; version: string };

/** Null: there is none. @throws SkillError */
export function skillText(journal: string, name: string, builtIn: string): SkillText | null {
  const found = readSkillText(journal, name, builtIn);
  return found && { name, ...found, version: versionOf(found.text) };
}

/**
 * Writes it into the journal; one of the package gets a file of its own there.
 * @param version the one that was read; null: there was none
 * @throws SkillChangedError, SkillError
 */
export async function writeSkill(
  journal: string,
  { name, text, version, builtIn }: { name: string; text: string; version: string | null; builtIn: string },
): Promise<void> {
  if (!namePattern.test(name)) throw new SkillError(`"${name}" is not a name for a skill`);
  if (Buffer.byteLength(text) > maxSkillBytes)
    throw new SkillError(`SKILL.md would have more than ${maxSkillBytes} bytes`);
  const { head } = await parseSkill(text.replaceAll("\r\n", "\n"), name);
  if (head.name !== undefined && head.name !== name)
    throw new SkillError(`its name is "${head.name.slice(0, 100)}": expected "${name}", that of its folder`);
  if ((skillText(journal, name, builtIn)?.version ?? null) !== version)
    throw new SkillChangedError(`the skill "${name}" was changed since you read it`);
  await replaceFile(pathOf(journal, name), text.endsWith("\n") ? text : `${text}\n`);
}

function pathOf(journal: string, name: string): string {
  try {
    return inside(journal, join("skills", name, "SKILL.md"));
  } catch (error) {
    throw new SkillError(`the skill "${name}" can't be written: ${messageOf(error)}`, { cause: error });
  }
}

const versionOf = (text: string) => hash("sha256", text, "hex").slice(0, 16);
