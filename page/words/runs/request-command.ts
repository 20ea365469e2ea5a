/** The command that makes a run's request again, as it is typed at a terminal. Pure. */
import { shellQuoted } from "../text/shell-quoted.ts";

export type AskedRun = {
  persona: string;
  backend: string | null;
  model: string | null;
  agent: string | null;
  /** As the API tells it: long texts cut, secrets hidden. */
  request: Readonly<Record<string, unknown>>;
};

/** The API cuts longer texts of a request, in characters: `web/machine/runs/get-run.ts`. */
const longestText = 20_000;
const hiddenValue = "***";

/** Options of their own; every other field is `--set`. */
const options: Readonly<Record<string, string>> = {
  persona: "-p",
  backend: "-b",
  model: "-m",
  facet: "--facet",
  folder: "--folder",
  day: "--day",
  save: "--save",
  continue_from: "--continue",
  timeout_seconds: "-t",
};

/** Fields that cortex sets itself, or that belong to the one run. */
const ownFields: ReadonlySet<string> = new Set(["prompt", "prev", "handoff_from", "watched", "schedule", "again_of"]);

/**
 * Persona, backend and model are named as the run had them, so that other defaults change nothing. Null: no command can say it,
 * since the request is a turn of an agent, has secrets or a list of tools, is too long, or has signs that a terminal would obey.
 */
export function requestCommand({ persona, backend, model, agent, request }: AskedRun): string | null {
  const { prompt } = request;
  if (agent !== null || typeof prompt !== "string" || Array.isArray(request["tools"]) || !isSayable(request))
    return null;
  const had = { persona, ...(backend !== null && { backend }), ...(model !== null && { model }), ...request };
  const words = Object.entries(had)
    .filter(([name, value]) => !ownFields.has(name) && value !== null && value !== undefined)
    .flatMap(([name, value]) => optionOf(name, value));
  // What begins with a dash would be taken for an option.
  const asked = prompt.startsWith("-") ? ["--set", `prompt=${prompt}`] : [prompt];
  const command = ["cortex-request", ...words, ...asked];
  return isPrintable(command.join(" ")) ? command.map(shellQuoted).join(" ") : null;
}

function optionOf(name: string, value: unknown): string[] {
  const option = options[name];
  const isText = typeof value === "string" || typeof value === "number";
  if (option !== undefined && isText && !String(value).startsWith("-")) return [option, String(value)];
  if (name === "worktree" && value === true) return ["--worktree"];
  if (name === "disable_mcp" && value === true) return ["--no-tools"];
  return ["--set", `${name}=${typeof value === "string" && !isJson(value) ? value : JSON.stringify(value)}`];
}

/** A text that is JSON as well would be taken for that. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isSayable(value: unknown): boolean {
  if (typeof value === "string") return value !== hiddenValue && value.length <= longestText;
  if (value === null || typeof value !== "object") return true;
  return Object.entries(value).every(([name, field]) => !name.includes("=") && isSayable(field));
}

/** Pasted into a terminal, other controls are keys. */
const isPrintable = (text: string) => !/[\p{Cc}\p{Bidi_Control}]/u.test(text.replaceAll("\n", ""));
