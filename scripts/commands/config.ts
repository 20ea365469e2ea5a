/** `cortex config`: whether the settings can be used, and what they may hold. */
import { readSettings, SettingsError, settingsPath } from "../../journal/settings.ts";
import { loadPersonas } from "../../personas/load.ts";
import { readEnvironment } from "../../proc/environment.ts";
import { exitCodes } from "../../protocol/exit-codes.ts";
import { nearestName } from "../../protocol/nearest-name.ts";
import type { Settings } from "../../protocol/settings.ts";
import { type Command, parseCommandLine, unknownName, usageError } from "../command.ts";
import { publishedSchema } from "../docs/json-schemas.ts";
import { asTyped } from "../typed-command.ts";

const help = `
Usage: cortex config check|schema [--json]

  check    whether cortex.json in the journal can be used; exits 2 and says what is wrong if it can't
  schema   the JSON Schema of cortex.json
`;

export const command: Command = {
  help,
  run: (args) => {
    const { values, positionals } = parseCommandLine(args, { json: { type: "boolean" } }, "cortex config");
    const [action = "check", ...rest] = positionals;
    if (rest.length > 0) throw usageError(`unexpected "${rest.join(" ")}"`, "see: cortex config --help");
    if (action === "check") return Promise.resolve(check(readEnvironment().journalPath, values.json ?? false));
    if (action !== "schema") throw unknownName("action", action, ["check", "schema"], "cortex config");
    process.stdout.write(`${JSON.stringify(publishedSchema("settings"), null, 2)}\n`);
    return Promise.resolve(exitCodes.done);
  },
};

/** What is wrong with the settings of a journal, and what is only suspicious. */
export function checkSettings(journal: string): { settings: Settings; problems: string[]; warnings: string[] } {
  try {
    const settings = readSettings(journal);
    return { settings, problems: [], warnings: unknownPersonas(journal, settings) };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return { settings: {}, problems: error.problems, warnings: [] };
  }
}

function check(journal: string, json: boolean): number {
  const path = settingsPath(journal);
  const { problems, warnings } = checkSettings(journal);
  const isOk = problems.length === 0;
  if (json) {
    const error = {
      type: "config",
      message: `${path}: ${problems.join("; ")}`,
      hint: asTyped("what it may hold: cortex config schema"),
    };
    process.stdout.write(`${JSON.stringify({ ok: isOk, path, problems, warnings, ...(isOk ? {} : { error }) })}\n`);
    return isOk ? exitCodes.done : exitCodes.usage;
  }
  for (const problem of problems) process.stdout.write(`✗ ${problem}\n`);
  for (const warning of warnings) process.stdout.write(`! ${warning}\n`);
  process.stdout.write(
    isOk ? `${path} can be used\n` : asTyped(`${path} can't be used: what it may hold: cortex config schema\n`),
  );
  return isOk ? exitCodes.done : exitCodes.usage;
}

/** Personas are files that come and go: one that there is none of yet is no reason to refuse the settings. */
function unknownPersonas(journal: string, { schedules = {}, budgets }: Settings): string[] {
  const { personas } = loadPersonas(journal);
  const named = [
    ...Object.keys(schedules).map((name) => ["schedules", name]),
    ...Object.keys(budgets?.personas ?? {}).map((name) => ["budgets.personas", name]),
  ];
  return named.flatMap(([field, name = ""]) => {
    if (personas.has(name)) return [];
    const nearest = nearestName(name, personas.keys());
    return [`${field}: there is no persona "${name}"${nearest ? `: did you mean "${nearest}"?` : ""}`];
  });
}
