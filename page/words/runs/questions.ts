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

type Change = { path: string; before: string; after: string };

/** A call that changes a text: what it takes away, and what it puts there. */
export function changeOf(args: unknown): Change | null {
  const parts = partsOfChange(args);
  return parts && { path: parts.path, before: parts.before, after: parts.after };
}

/** A change, with the arguments that are no part of it. */
function partsOfChange(args: unknown): (Change & { rest: Record<string, unknown> }) | null {
  if (!isRecord(args)) return null;
  const [old, fresh, path] = [oldNames, freshNames, pathNames].map((names) => textField(args, names));
  const content = textField(args, ["content"]);
  const without = (used: (Field | undefined)[]) =>
    Object.fromEntries(Object.entries(args).filter(([name]) => !used.some((one) => one?.name === name)));
  if (old && fresh)
    return { path: path?.text ?? "", before: old.text, after: fresh.text, rest: without([old, fresh, path]) };
  if (!content || !path?.text) return null;
  return { path: path.text, before: "", after: content.text, rest: without([content, path]) };
}

type Field = { name: string; text: string };

const oldNames = ["old_str", "old_string", "old_text"];
const freshNames = ["new_str", "new_string", "new_text"];
const pathNames = ["path", "file_path"];

/** The first of these fields that has a text. */
function textField(args: Record<string, unknown>, names: readonly string[]): Field | undefined {
  const texts = names.map((name) => ({ name, text: args[name] }));
  return texts.find((field): field is Field => typeof field.text === "string");
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

/** The arguments of a call that its row and the lines of its change don't show: nobody decides about what is cut off. Empty: they say it all. */
export function wholeArguments(args: unknown): string {
  if (args === null || args === undefined) return "";
  const change = partsOfChange(args);
  if (change) return shownArguments(asJson({ ...(!isReadable(change.path) && { path: change.path }), ...change.rest }));
  const main = mainArgument(args);
  const isAll = typeof args === "string" || (isRecord(args) && isNamedByRow(Object.keys(args)) && main !== "");
  if (isAll && isReadable(main)) return "";
  return shownArguments(isAll ? main : asJson(args));
}

const isReadable = (text: string) => text.length <= readableInRow && !text.includes("\n");

/** Whether a row that shows the main argument says which one it is. */
const isNamedByRow = ([name = "", ...others]: string[]) => others.length === 0 && tellingFields.includes(name);

function shownArguments(text: string): string {
  if (text === "{}") return "";
  const shown = visible(text.slice(0, longestArguments));
  return text.length > longestArguments ? `${shown}\n… (the run's page has the rest)` : shown;
}
