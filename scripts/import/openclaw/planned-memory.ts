/**
 * The knowledge of an OpenClaw agent, as files of the memory: under the agent's name, each with the path that it had.
 */
import { maxTextBytes } from "../../../journal/editing/text-edits.ts";
import type { ImportParts, PlannedFile } from "./import-parts.ts";
import type { SourceFolder } from "./source-folder.ts";

/** Summaries of files, by path: the agent sees them before it reads one. */
const summaries: Readonly<Record<string, string>> = {
  "MEMORY.md": "long-term memory, from OpenClaw",
  "memory.md": "long-term memory, from OpenClaw",
  "KNOWLEDGE-MAP.md": "where knowledge is kept, from OpenClaw",
  "USER.md": "whom the agent works for, from OpenClaw",
  "HEARTBEAT.md": "what to check again and again, from OpenClaw",
};

const day = /^memory\/(\d{4}-\d{2}-\d{2})[^/]*\.md$/;

/** @param isShared a team will see the instructions: who the user is stays in the journal */
export function plannedMemory({ name, source, heartbeat, page }: ImportParts, isShared: boolean): PlannedFile[] {
  const single = ["MEMORY.md", "memory.md"];
  if (page === null) single.push("KNOWLEDGE-MAP.md");
  if (isShared) single.push("USER.md", ...(heartbeat === null ? [] : ["HEARTBEAT.md"]));
  const logs = source.markdownBelow("memory");
  // The newest first: should there not be room for all, the oldest stay out.
  const [days, others] = [logs.filter((path) => day.test(path)).toReversed(), logs.filter((path) => !day.test(path))];
  const paths = [...single, ...source.markdownBelow("config"), ...others, ...days];
  return paths.flatMap((path) => memoryFile(source, name, path));
}

function memoryFile(source: SourceFolder, name: string, path: string): PlannedFile[] {
  const text = source.text(path, maxTextBytes - 1024);
  if (text === null) return [];
  const to = `memory/${name}/${path}`;
  return [{ unit: to, what: "memory", from: path, to, text: withSummary(text, summaryOf(path)) }];
}

function summaryOf(path: string): string {
  const [, date] = day.exec(path) ?? [];
  return date === undefined ? (summaries[path] ?? `${path} of OpenClaw`) : `log of ${date}, from OpenClaw`;
}

/** Below the title where there is one; a text that has a summary keeps its own. */
function withSummary(text: string, summary: string): string {
  if (/^> Summary:/m.test(text.split("\n").slice(0, 40).join("\n"))) return text;
  const [, title = "", rest = ""] = /^(# [^\n]*\n)?([\s\S]*)$/.exec(text) ?? [];
  return `${title}${title === "" ? "" : "\n"}> Summary: ${summary}\n\n${rest.replace(/^\n+/, "")}`;
}
