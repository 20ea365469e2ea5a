/** `cortex config`: whether the settings can be used, and what they may hold. */
import { settingsPath } from "../../journal/config/settings.ts";
import { readEnvironment } from "../../proc/programs/environment.ts";
import { exitCodes } from "../../protocol/runs/exit-codes.ts";
import { type Command, parseCommandLine, unknownName, usageError } from "../command/command.ts";
import { checkSettings } from "../settings/check-settings.ts";
import { publishedSchema } from "../settings/json-schemas.ts";
import { asTyped } from "../command/typed-command.ts";

const help = `
Usage: cortex config check|schema [--json]

  check    check cortex.json in the journal; exits 2 and names the errors if it can't be used
  schema   print the JSON Schema of cortex.json
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

function check(journal: string, json: boolean): number {
  const path = settingsPath(journal);
  const { problems, warnings } = checkSettings(journal);
  const isOk = problems.length === 0;
  if (json) {
    const error = {
      type: "config",
      message: `${path}: ${problems.join("; ")}`,
      hint: asTyped("the allowed settings: cortex config schema"),
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
