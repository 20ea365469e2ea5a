/** The settings of the journal, `cortex.json`. */
import { readSettingsFile, writeSettings } from "../../../journal/config/edit-settings.ts";
import { checkSettingsText, readSettings, SettingsError } from "../../../journal/config/settings.ts";
import { isRecord } from "../../../protocol/json/json-object.ts";
import { parseJson } from "../../../protocol/json/parse-json.ts";
import type { Machine } from "../../machine/machine.ts";

type Journal = Pick<Machine, "journal">;

export function getSettings({ journal }: Journal) {
  const { text, revision } = readSettingsFile(journal);
  return { revision, settings: settingsIn(text), text, problems: problemsOf(journal) };
}

export async function putSettings(
  machine: Journal,
  { revision, settings }: { revision: string; settings: Record<string, unknown> },
) {
  await writeSettings(machine.journal, revision, settings);
  return getSettings(machine);
}

/** Checks settings before they are saved: the problems for which they would be refused. */
export function checkSettings({ journal }: Journal, { settings }: { settings: Record<string, unknown> }) {
  const problems = problemsIn(() => checkSettingsText(journal, JSON.stringify(settings)));
  return { problems: problems.map(fieldAndMessage) };
}

/** `limits.timeout_seconds: expected number, got "fast"` */
function fieldAndMessage(problem: string): { path: string; message: string } {
  const [, path, message] = /^([^\s:]{1,200}): (.*)$/s.exec(problem) ?? [];
  return path === undefined || message === undefined ? { path: "", message: problem } : { path, message };
}

function settingsIn(text: string | null): Record<string, unknown> | null {
  try {
    const value: unknown = parseJson(text ?? "{}");
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

const problemsOf = (journal: string) => problemsIn(() => readSettings(journal));

function problemsIn(read: () => unknown): string[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
}
