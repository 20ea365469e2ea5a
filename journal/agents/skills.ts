/**
 * Skills: `skills/<name>/SKILL.md`, instructions that an agent reads when it needs them. What stands before them, between
 * two lines `---`, is YAML: `name`, `description`, and whether models may use it.
 */
import { type Dirent, existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { messageOf } from "../../files/errors/error-message.ts";
import { issueTexts } from "../../protocol/words/issues.ts";
import { dropNulls, isRecord } from "../../protocol/json/json-object.ts";
import { namePattern } from "../../protocol/names/names.ts";
import { readWhole } from "../editing/facet-file.ts";
import { inside } from "../config/paths.ts";

/** Where a skill comes from: the user's journal, or this package. */
type Source = "journal" | "package";

export type Skill = { name: string; description: string; source: Source; isForModels: boolean };

/** A skill that isn't there or can't be read: why, for whoever asked. */
export class SkillError extends Error {
  override name = "SkillError";
}

export const maxSkillBytes = 128 * 1024;
const maxSkills = 1000;

const FrontMatter = z.looseObject({
  name: z.string().optional(),
  description: z
    .string()
    .transform((text) => text.replace(/\s+/g, " ").trim())
    .refine((text) => text !== "", "expected text, not blank")
    .transform((text) => text.slice(0, 1024).toWellFormed()),
  // Whoever misspells what keeps models away hears of it.
  "disable-model-invocation": z.boolean().optional(),
});

type SkillHead = z.infer<typeof FrontMatter>;

export type SkillsOptions = {
  /** The package's own skills. */
  builtIn?: string;
  /** Reports a skill that is left out. */
  onProblem?: (problem: { name: string; source: Source; error: Error }) => void;
};

/** All skills, by their names. One of the journal wins over the package's; a broken one is left out. */
export async function listSkills(journal: string, { builtIn, onProblem }: SkillsOptions = {}): Promise<Skill[]> {
  const found = new Map<string, Skill>();
  for (const place of places(journal, builtIn))
    for (const name of skillNamesIn(place.folder)
      .filter((one) => !found.has(one))
      .slice(0, maxSkills))
      try {
        const { body: _, ...skill } = await load(place, name);
        found.set(name, skill);
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        onProblem?.({ name, source: place.source, error });
      }
  return [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * A skill with its instructions.
 * @throws SkillError
 */
export async function readSkill(journal: string, name: string, builtIn?: string): Promise<Skill & { body: string }> {
  const place = namePattern.test(name)
    ? places(journal, builtIn).find(({ folder }) => existsSync(join(folder, name, "SKILL.md")))
    : undefined;
  if (place) return await load(place, name);
  const known = (await listSkills(journal, builtIn === undefined ? {} : { builtIn }))
    .filter(({ isForModels }) => isForModels)
    .map((skill) => skill.name);
  const expected = known.length > 0 ? `the skills are ${known.join(", ")}` : "there are none";
  throw new SkillError(`no skill "${name.slice(0, 100)}": ${expected}`);
}

/** The instructions with what they were called with. One that doesn't say where it belongs gets it at its end. */
export function withArguments(body: string, args: string): string {
  if (body.includes("$ARGUMENTS")) return body.replaceAll("$ARGUMENTS", () => args);
  return args === "" ? body : `${body.trimEnd()}\n\nARGUMENTS: ${args}\n`;
}

type SkillPlace = { source: Source; folder: string };

function places(journal: string, builtIn: string | undefined): SkillPlace[] {
  const own: SkillPlace = { source: "journal", folder: join(journal, "skills") };
  return builtIn === undefined ? [own] : [own, { source: "package", folder: builtIn }];
}

function skillNamesIn(folder: string): string[] {
  let entries: Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
  return entries
    .filter(({ name }) => namePattern.test(name) && existsSync(join(folder, name, "SKILL.md")))
    .map(({ name }) => name)
    .toSorted();
}

async function load({ source, folder }: SkillPlace, name: string): Promise<Skill & { body: string }> {
  const { head, body } = await parseSkill(textOf(folder, name), name);
  const { name: said = name, description, "disable-model-invocation": isHidden } = head;
  if (said !== name) throw broken(name, `its name is "${said.slice(0, 100)}": expected that of its folder`);
  return { name, description, source, isForModels: isHidden !== true, body };
}

/**
 * Divides the text of a skill into its head and its instructions.
 * @param name for the error
 * @throws SkillError
 */
export async function parseSkill(text: string, name: string): Promise<{ head: SkillHead; body: string }> {
  const [head, body] = split(text, name);
  const about = FrontMatter.safeParse(await parseYaml(head, name));
  if (!about.success) throw broken(name, issueTexts(about.error, {}).join("; "));
  return { head: about.data, body };
}

/** The text of a skill's file, the journal's before the package's; null: there is none. @throws SkillError */
export function readSkillText(journal: string, name: string, builtIn: string): { text: string; source: Source } | null {
  const place = namePattern.test(name)
    ? places(journal, builtIn).find(({ folder }) => existsSync(join(folder, name, "SKILL.md")))
    : undefined;
  return place ? { text: textOf(place.folder, name), source: place.source } : null;
}

function textOf(folder: string, name: string): string {
  try {
    const real = inside(dirname(folder), join(folder, name, "SKILL.md"));
    const bytes = readWhole({ journal: folder, path: "SKILL.md", real })?.bytes;
    if (!bytes) throw new Error("SKILL.md is missing");
    if (bytes.length > maxSkillBytes) throw new Error(`SKILL.md has ${bytes.length} bytes, more than ${maxSkillBytes}`);
    return bytes
      .toString("utf8")
      .replace(/^\uFEFF/, "")
      .replaceAll("\r\n", "\n");
  } catch (error) {
    throw broken(name, messageOf(error), error);
  }
}

function split(text: string, name: string): [head: string, body: string] {
  const end = text.startsWith("---\n") ? text.slice(3).search(/\n---[ \t]*(\n|$)/) : -1;
  if (end === -1) throw broken(name, "expected it to begin with a line ---, its description, and another such line");
  const rest = text.slice(3 + end + 1);
  const lineEnd = rest.indexOf("\n");
  return [text.slice(4, 3 + end + 1), lineEnd === -1 ? "" : rest.slice(lineEnd + 1).replace(/^\n+/, "")];
}

async function parseYaml(text: string, name: string): Promise<unknown> {
  // Most who import this never read one.
  const { parse } = await import("yaml");
  try {
    const value: unknown = parse(text, { maxAliasCount: 0, logLevel: "error" });
    return isRecord(value) ? dropNulls(value) : value;
  } catch (error) {
    throw broken(name, error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : String(error), error);
  }
}

const broken = (name: string, why: string, cause?: unknown) =>
  new SkillError(`the skill "${name}" can't be used: ${why}`, { cause });
