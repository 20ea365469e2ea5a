/** Calls of tools as editors show them: kind, title, places, and what is changed. Pure. */
import { isAbsolute, join } from "node:path";
import type { ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import { isRecord } from "../../protocol/json/json-object.ts";
import { tryParseJson } from "../../protocol/json/parse-json.ts";

/** The kinds of our tools, and of those of coding agents by the names that they share. Any other is `other`. */
const kinds: Record<string, ToolKind> = {
  read: "read",
  ls: "read",
  get_resource: "read",
  get_facet: "read",
  get_events: "read",
  memory_read: "read",
  write: "edit",
  edit: "edit",
  multiedit: "edit",
  memory_write: "edit",
  memory_patch: "edit",
  memory_append: "edit",
  grep: "search",
  glob: "search",
  search_journal: "search",
  memory_search: "search",
  search_history: "search",
  web_search: "fetch",
  websearch: "fetch",
  web_fetch: "fetch",
  webfetch: "fetch",
  bash: "execute",
  process_input: "execute",
  process_output: "execute",
  process_stop: "execute",
};

export const kindOf = (tool: string): ToolKind => {
  // A program may put its server's name before it.
  const name = (tool.split("__").at(-1) ?? tool).toLowerCase();
  return Object.hasOwn(kinds, name) ? (kinds[name] ?? "other") : "other";
};

/** The arguments that say what a call is about, the first that there is. */
const telling = ["command", "path", "file_path", "query", "pattern", "url", "uri", "name", "description", "text"];

/** Characters of a title. */
const longestTitle = 160;

/** The title of a call, in one line. */
export function titleOf(tool: string, args: unknown): string {
  const about = telling.map((field) => textIn(args, field)).find((text) => text !== undefined) ?? "";
  const line = (kindOf(tool) === "execute" && about !== "" ? about : `${tool} ${about}`).replaceAll(/\s+/g, " ").trim();
  return line.length > longestTitle ? `${line.slice(0, longestTitle).toWellFormed()}…` : line;
}

const pathIn = (args: unknown): string | undefined => textIn(args, "path") ?? textIn(args, "file_path");

/** The files that a call is about. @param folder where its run works; undefined: in a folder of its own that nobody can open */
export function locationsOf(args: unknown, folder: string | undefined): ToolCallLocation[] {
  const path = absolute(pathIn(args), folder);
  if (path === undefined) return [];
  const line = isRecord(args) && Number.isInteger(args["from"]) ? Number(args["from"]) : undefined;
  return [{ path, ...(line !== undefined && { line }) }];
}

const absolute = (path: string | undefined, folder: string | undefined): string | undefined => {
  // attachment:<id> and result:<call> are names of what stands in no folder.
  if (path === undefined || /^[a-z]+:/.test(path)) return undefined;
  if (isAbsolute(path)) return path;
  return folder === undefined ? undefined : join(folder, path);
};

/** The change that a call makes, where its arguments tell the old text and the new one. */
export function diffOf(args: unknown, folder: string | undefined): ToolCallContent[] {
  const path = pathIn(args);
  const oldText = textIn(args, "old_str") ?? textIn(args, "old_string");
  const newText = textIn(args, "new_str") ?? textIn(args, "new_string");
  if (path === undefined || oldText === undefined || newText === undefined) return [];
  return [{ type: "diff", path: absolute(path, folder) ?? path, oldText, newText }];
}

/** A file that a call has made: there is no old text. What it replaced is told by nobody, and then there is no diff. */
export function newFileOf(tool: string, args: unknown, result: unknown, folder: string | undefined): ToolCallContent[] {
  const [path, newText] = [textIn(args, "path"), textIn(args, "content")];
  const isNew = tool === "write" && typeof result === "string" && result === `${path}: written`;
  if (!isNew || path === undefined || newText === undefined) return [];
  return [{ type: "diff", path: absolute(path, folder) ?? path, oldText: null, newText }];
}

/** Characters of a result that an editor is shown: the run's file has all of it. */
const longestResult = 32_000;

/** A text as the content of a call. */
export function textContent(text: string): ToolCallContent[] {
  const shown = text.length > longestResult ? `${text.slice(0, longestResult).toWellFormed()}\n… (cut)` : text;
  return shown.trim() === "" ? [] : [{ type: "content", content: { type: "text", text: shown } }];
}

/** The text of a result. Of a command it is what it has printed, and how it ended where that isn't well. */
export function resultText(tool: string, result: unknown): string {
  const text = typeof result === "string" ? result : (JSON.stringify(result) ?? "");
  if (tool !== "bash") return text;
  const told = commandResult(text);
  if (!told) return text;
  const { stdout, stderr, exit_code: code, timed_out: isLate } = told;
  const end =
    isLate === true
      ? "[stopped: it took too long]"
      : typeof code === "number" && code !== 0
        ? `[exit code ${code}]`
        : "";
  return [stdout, stderr, end].filter((part) => typeof part === "string" && part !== "").join("\n");
}

function commandResult(text: string): Record<string, unknown> | null {
  const value = tryParseJson(text);
  return isRecord(value) && typeof value["stdout"] === "string" ? value : null;
}

function textIn(args: unknown, field: string): string | undefined {
  const value = isRecord(args) ? args[field] : undefined;
  return typeof value === "string" && value !== "" ? value : undefined;
}
