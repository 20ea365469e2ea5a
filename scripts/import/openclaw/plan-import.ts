/**
 * The plan of an import of an OpenClaw workspace: what it would write, and what it leaves out. Reads the workspace,
 * writes nothing.
 */
import { maxTextBytes } from "../../../journal/editing/text-edits.ts";
import { agentOf, type PlannedAgent } from "./planned-agent.ts";
import { heartbeatFiles, personaFiles } from "./planned-persona.ts";
import { plannedMemory } from "./planned-memory.ts";
import { nameFrom, readIdentity } from "./identity.ts";
import type { ImportParts, PlannedFile } from "./import-parts.ts";
import { secretLines, type Section } from "./instruction.ts";
import { plannedSkills } from "./skills.ts";
import { SourceFolder, type LeftOut, withoutFrontMatter } from "./source-folder.ts";

export type ImportPlan = {
  name: string;
  files: PlannedFile[];
  /** The persona whose schedule begins turned off. */
  scheduled: string | null;
  agent: PlannedAgent | null;
  leftOut: LeftOut[];
  notes: string[];
};

/** One of these is in every OpenClaw workspace. */
export const signs = ["SOUL.md", "AGENTS.md", "IDENTITY.md"];

/** Bytes of each file that makes part of the instructions: OpenClaw itself cuts far earlier. */
const maxSectionBytes = 60 * 1024;

/** As much as the page of a workspace takes. */
const maxPageBytes = 16_000;

const looked = new Set(
  `SOUL.md IDENTITY.md USER.md AGENTS.md TOOLS.md HEARTBEAT.md MEMORY.md memory.md KNOWLEDGE-MAP.md
  config memory skills .agents`.split(/\s+/),
);

const known: Readonly<Record<string, string>> = {
  "BOOTSTRAP.md": "a ritual of the first run, which is over",
  "BOOT.md": "what OpenClaw's gateway does when it starts: cortex has nothing like it",
  canvas: "pages for OpenClaw's own canvas",
  avatars: "personas have no pictures",
  ".git": "the history of the folder stays where it is",
};

export type ImportOptions = { name: string | undefined; asAgent: boolean };

export async function planImport(path: string, { name: given, asAgent }: ImportOptions): Promise<ImportPlan> {
  const source = new SourceFolder(path);
  const notes: string[] = [];
  const section = (from: string, title: string): Section[] => {
    const text = withoutTitle(withoutFrontMatter(source.text(from, maxSectionBytes) ?? ""));
    return text === "" ? [] : [{ from, title, text }];
  };
  const identity = readIdentity(withoutFrontMatter(source.text("IDENTITY.md", maxSectionBytes) ?? ""));
  const name = given ?? nameFrom(identity.name);
  const sections = [
    ...section("SOUL.md", ""),
    ...(identity.rest === "" ? [] : [{ from: "IDENTITY.md", title: "Who you are", text: identity.rest }]),
    ...section("AGENTS.md", "How you work"),
    ...section("TOOLS.md", "Notes on tools"),
  ];
  const user = section("USER.md", "Whom you work for");
  const heartbeat = section("HEARTBEAT.md", "");
  for (const { from, text } of [...sections, ...user])
    for (const line of secretLines(text).slice(0, 3))
      notes.push(`${from}, line ${line} of its text, looks like a key or a password: take it out of what was imported`);
  const core = asAgent ? coreMemories(source.text("MEMORY.md", maxTextBytes)) : [];
  const map = asAgent ? section("KNOWLEDGE-MAP.md", "") : [];
  const page = map[0] && Buffer.byteLength(map[0].text) <= maxPageBytes ? map[0].text : null;
  const parts: ImportParts = {
    name,
    identity,
    sections,
    user,
    core,
    heartbeat: checklist(heartbeat, source),
    page,
    notes,
    source,
  };
  const memory = plannedMemory(parts, asAgent);
  const skills = await plannedSkills(source, notes);
  for (const entry of source.entries("."))
    if (!looked.has(entry.name)) source.leave(entry.name, known[entry.name] ?? "no file of an OpenClaw agent's own");
  const files = [...memory, ...skills, ...(asAgent ? [] : [...heartbeatFiles(parts), ...personaFiles(parts)])];
  const scheduled = files.some(({ what }) => what === "schedule") ? `${name}-heartbeat` : null;
  const agent = asAgent ? agentOf(parts) : null;
  return { name, files, scheduled, agent, leftOut: source.leftOut, notes };
}

/** A title that only says the file's name is none here. */
const withoutTitle = (text: string) => text.replace(/^# [A-Z-]+\.md\b[^\n]*\n*/, "").trim();

/** Each is looked for from the end of the one before: a pattern would begin anew at every `<!--` that isn't closed. */
function withoutComments(text: string): string {
  const kept: string[] = [];
  for (let at = 0; ; ) {
    const from = text.indexOf("<!--", at);
    const to = from === -1 ? -1 : text.indexOf("-->", from);
    if (to === -1) return kept.join("") + text.slice(at);
    kept.push(text.slice(at, from));
    at = to + "-->".length;
  }
}

/** The section of that name, up to the next heading of its level. */
function coreMemories(memory: string | null): Section[] {
  const lines = memory?.split("\n") ?? [];
  const begin = lines.findIndex((line) => /^#{1,3} core memor(y|ies)\b/i.test(line));
  if (begin === -1) return [];
  const rest = lines.slice(begin + 1);
  const end = rest.findIndex((line) => /^#{1,2} /.test(line));
  const text = (end === -1 ? rest : rest.slice(0, end)).join("\n").trim();
  return text === "" ? [] : [{ from: "MEMORY.md", title: "Core memories", text }];
}

/** One that has nothing but headings and comments makes OpenClaw skip its heartbeat. */
function checklist([section]: Section[], source: SourceFolder): Section | null {
  if (!section) return null;
  const said = withoutComments(section.text).replaceAll(/^\s*(#.*)?$/gm, "");
  if (said.trim() !== "") return section;
  source.leave(section.from, "it has no checklist, so there is nothing to schedule");
  return null;
}
