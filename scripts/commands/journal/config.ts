/** `cortex config`: whether the settings can be used, what they may hold, and the settings themselves. */
import { readFileSync } from "node:fs";
import { hasCode } from "../../../files/errors/errno.ts";
import { readSettingsFile, SettingsChangedError, writeSettings } from "../../../journal/config/edit-settings.ts";
import { SettingsError, settingsPath } from "../../../journal/config/settings.ts";
import { readEnvironment } from "../../../proc/programs/environment.ts";
import { exitCodes } from "../../../protocol/runs/exit-codes.ts";
import { type Command, CommandError, parseCommandLine, unknownName, usageError } from "../../command/command.ts";
import { checkSettings } from "../../settings/check-settings.ts";
import { publishedSchema } from "../../settings/json-schemas.ts";
import { messageOf } from "../../../files/errors/error-message.ts";
import { isRecord } from "../../../protocol/json/json-object.ts";
import { parseJson } from "../../../protocol/json/parse-json.ts";
import { asTyped } from "../../command/typed-command.ts";

const help = `
Usage: cortex config check|schema [--json]
       cortex config get [--json]
       cortex config put FILE [--revision REVISION] [--json]

  check    check cortex.json in the journal; exits 2 and names the errors if it can't be used
  schema   print the JSON Schema of cortex.json
  get      print cortex.json; with --json also its revision
  put      replace it by a file, or by stdin with "-", if it can be used; with --revision only if it is still that one
`;

export const command: Command = {
  help,
  run: (args) => {
    const options = { json: { type: "boolean" }, revision: { type: "string" } } as const;
    const { values, positionals } = parseCommandLine(args, options, "cortex config", 2);
    const [action = "check", file] = positionals;
    const { journalPath } = readEnvironment();
    const json = values.json ?? false;
    if (action === "put") return put(journalPath, { file, revision: values.revision, json });
    if (file !== undefined) throw usageError(`unexpected "${file}"`, "see: cortex config --help");
    if (action === "check") return Promise.resolve(check(journalPath, json));
    if (action === "get") return Promise.resolve(get(journalPath, json));
    if (action !== "schema") throw unknownName("action", action, ["check", "schema", "get", "put"], "cortex config");
    process.stdout.write(`${JSON.stringify(publishedSchema("settings"), null, 2)}\n`);
    return Promise.resolve(exitCodes.done);
  },
};

function get(journal: string, json: boolean): number {
  const { text, revision } = readSettingsFile(journal);
  process.stdout.write(json ? `${JSON.stringify({ revision, text })}\n` : (text ?? "{}\n"));
  return exitCodes.done;
}

type Put = { file: string | undefined; revision: string | undefined; json: boolean };

async function put(journal: string, { file, revision, json }: Put): Promise<number> {
  if (file === undefined) throw usageError("cortex config put takes a file", "from stdin: cortex config put -");
  const settings = settingsIn(textOf(file));
  try {
    const written = await writeSettings(journal, revision ?? readSettingsFile(journal).revision, settings);
    process.stdout.write(
      json ? `${JSON.stringify({ revision: written.revision })}\n` : `${settingsPath(journal)} is written\n`,
    );
    return exitCodes.done;
  } catch (error) {
    if (error instanceof SettingsChangedError)
      throw new CommandError("conflict", error.message, "read it again: cortex config get --json", exitCodes.failed);
    if (error instanceof SettingsError)
      throw new CommandError("config", error.message, "what it may hold: cortex config schema", exitCodes.usage);
    throw error;
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
    throw usageError(`there is no file ${file}`, "from stdin: cortex config put -");
  }
}

function settingsIn(text: string): Record<string, unknown> {
  try {
    const value = parseJson(text);
    if (isRecord(value)) return value;
  } catch (error) {
    throw usageError(`that isn't JSON: ${messageOf(error)}`, "what it may hold: cortex config schema");
  }
  throw usageError("settings are one JSON object", "what it may hold: cortex config schema");
}

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
