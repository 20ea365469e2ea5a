/** The question to somebody, in their words: that of a decision, and the least that is needed to answer it. Pure. */

import { firstLine, shownLine } from "../names/names.ts";
import { visible } from "../text/visible-text.ts";
import { asJson } from "../text/values.ts";
import { isRecord } from "../json/read-json.ts";

/** The fields of a decision that are told. */
export type Asked = {
  kind: "call" | "loop" | "write";
  tool: string | null;
  args: unknown;
  path: string | null;
  why: string;
};

/** The question, as the one who asks would put it. */
export function questionOf({ kind, tool }: Asked): string {
  if (kind === "loop") return "The same call again and again. Let it go on?";
  if (kind === "write") return "May I change a file outside my folder?";
  return (tool !== null && callQuestions[tool]) || `May I use ${firstLine(tool ?? "") || "a tool"}?`;
}

const callQuestions: Record<string, string> = {
  bash: "May I run this command?",
  write: "May I write this file?",
  edit: "May I change this file?",
  web_fetch: "May I open this page?",
};

/** The one argument that says most about a call: its command, file, address or words. */
export function mainArgument(args: unknown): string {
  if (typeof args === "string") return args;
  if (args === null || typeof args !== "object" || Array.isArray(args)) return "";
  const fields = Object.entries(args);
  const telling = tellingFields.map((name) => fields.find(([field]) => field === name)?.[1]);
  const found = [...telling, ...fields.map(([, value]) => value)].find((value) => typeof value === "string");
  return typeof found === "string" ? found : "";
}

const tellingFields = ["command", "path", "url", "uri", "query", "pattern", "name", "text"];

/** A call that changes a text: what it takes away, and what it puts there. */
export function changeOf(args: unknown): { path: string; before: string; after: string } | null {
  if (args === null || typeof args !== "object") return null;
  const fields = args as Record<string, unknown>;
  const text = (...names: string[]) => names.map((name) => fields[name]).find((value) => typeof value === "string");
  const [before, after] = [text("old_str", "old_string", "old_text"), text("new_str", "new_string", "new_text")];
  const path = text("path", "file_path") ?? "";
  if (before !== undefined && after !== undefined)
    return { path: String(path), before: String(before), after: String(after) };
  const content = text("content");
  return path !== "" && content !== undefined ? { path: String(path), before: "", after: String(content) } : null;
}

/** Describes the calls that `always` would allow from then on: `Always for ~/elmsund`. */
export function alwaysFor(rules: readonly Record<string, unknown>[]): string {
  const [rule, ...others] = rules;
  if (others.length > 0) return `Always for all ${rules.length}`;
  const name = rule && (matchOf(rule) || toolOf(rule));
  return name ? `Always for ${name}` : "Always";
}

/** The rules that `always` would keep, each as a line. */
export const ruleLines = (rules: readonly Record<string, unknown>[]): string[] =>
  rules.map((rule) => [toolOf(rule), matchOf(rule)].filter(Boolean).join(" "));

const toolOf = ({ tool }: Record<string, unknown>) => (typeof tool === "string" ? shownLine(tool) : "");
const matchOf = ({ match }: Record<string, unknown>) =>
  typeof match === "string" && match !== "*" ? shownLine(match) : "";

/** In a row so much of an argument can be read, in characters. */
const readableInRow = 80;
/** Characters of arguments that are shown to decide by: the run's page has the rest. */
const longestArguments = 20_000;

/** All arguments of a call, where its row can't show them: nobody decides about what is cut off. Empty: the row says it all. */
export function wholeArguments(args: unknown): string {
  const main = mainArgument(args);
  const isAll = typeof args === "string" || (isRecord(args) && Object.keys(args).length <= 1 && main !== "");
  if (args === null || args === undefined || (isAll && main.length <= readableInRow && !main.includes("\n"))) return "";
  const text = isAll ? main : asJson(args);
  if (text === "{}") return "";
  const shown = visible(text.slice(0, longestArguments));
  return text.length > longestArguments ? `${shown}\n… (the run's page has the rest)` : shown;
}
