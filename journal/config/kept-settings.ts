/**
 * The last settings that could be used, `.state/settings.json`, so that a slip in `cortex.json` takes nothing down, not at a
 * restart either; and what is wrong with `cortex.json` now, `.run/settings-problem.json`, for commands that tell it.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { isRecord } from "../../protocol/json/json-object.ts";
import { isRuntimeOwn } from "./folder-mark.ts";
import { runtime, state } from "./paths.ts";
import { parseOwnJson } from "../../protocol/json/parse-json.ts";

const keptFile = (journal: string) => state(journal, "settings.json");
const problemFile = (journal: string) => runtime(journal, "settings-problem.json");

/** The text of the last `cortex.json` that could be used, or null. */
export const keptSettings = (journal: string): string | null => textOf(keptFile(journal));

/** Keeps the text of a `cortex.json` that can be used. */
export function keepSettings(journal: string, text: string): void {
  if (keptSettings(journal) !== text) replaceIfPossible(keptFile(journal), text);
  rmSync(problemFile(journal), { force: true });
}

/** Says what is wrong with `cortex.json`, while the programs go on with the kept ones. */
export const writeSettingsProblem = (journal: string, message: string): void =>
  replaceIfPossible(problemFile(journal), `${JSON.stringify({ message })}\n`);

/** Reads what is wrong with `cortex.json`, as a running program found it; null: nothing, or no program has said so. */
export function settingsProblem(journal: string): string | null {
  if (!isRuntimeOwn(journal)) return null;
  try {
    const document: unknown = parseOwnJson(textOf(problemFile(journal)) ?? "null");
    return isRecord(document) && typeof document["message"] === "string" ? document["message"] : null;
  } catch {
    return null;
  }
}

/** Neither is worth failing for: where there is no room, the settings hold all the same. */
function replaceIfPossible(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, text, { mode: 0o600 });
    renameSync(temporary, path);
  } catch {
    rmSync(temporary, { force: true });
  }
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
