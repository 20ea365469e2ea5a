/** What somebody is asked, in their words: the question of a decision, and the least that is needed to answer it. Pure. */

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
  return (tool !== null && callQuestions[tool]) || `May I use ${tool ?? "a tool"}?`;
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

/** What `always` would allow from then on: `Always for ~/elmsund`. */
export function alwaysFor(rules: readonly Record<string, unknown>[]): string {
  const [rule] = rules;
  const match = rule?.["match"];
  if (typeof match === "string" && match !== "" && match !== "*") return `Always for ${match}`;
  const tool = rule?.["tool"];
  return typeof tool === "string" ? `Always for ${tool}` : "Always";
}
