/** `cortex persona put`: a persona of the journal is written, or made, guarded by the version that was read. */
import { editPersona, PersonaChangedError } from "../../../personas/edit-persona.ts";
import { PersonaFileError, readPersonaFiles } from "../../../personas/persona-files.ts";
import { isRecord } from "../../../protocol/json/json-object.ts";
import { parseJson } from "../../../protocol/json/parse-json.ts";
import { exitCodes } from "../../../protocol/runs/exit-codes.ts";
import { messageOf } from "../../../files/errors/error-message.ts";
import { CommandError, parseCommandLine, usageError } from "../../command/command.ts";
import { givenText } from "../../command/given-file.ts";

const text = { type: "string" } as const;
const options = { json: { type: "boolean" }, text, settings: text, version: text } as const;

export async function putPersona(args: string[], journal: string): Promise<number> {
  const { values, positionals } = parseCommandLine(args, options, "cortex persona", 1);
  const [name] = positionals;
  if (name === undefined || (values.text === undefined && values.settings === undefined))
    throw usageError("cortex persona put takes a name, and --text or --settings", "see: cortex persona --help");
  const change = await draftOf(values);
  try {
    const before = readPersonaFiles(journal, name)?.version ?? null;
    const { version } = await editPersona(journal, name, values.version ?? before, change);
    process.stdout.write(
      values.json ? `${JSON.stringify({ persona: name, version })}\n` : `${name}: version ${version}\n`,
    );
    return exitCodes.done;
  } catch (error) {
    if (error instanceof PersonaChangedError)
      throw new CommandError("conflict", error.message, `see: cortex persona show ${name}`, exitCodes.refused, {
        cause: error,
      });
    if (error instanceof PersonaFileError) throw usageError(error.message, "see: cortex persona --help", error);
    throw error;
  }
}

/** The parts of a persona that were given, from their files. @throws CommandError */
export async function draftOf(values: {
  text?: string | undefined;
  settings?: string | undefined;
}): Promise<{ text?: string; settings?: Record<string, unknown> }> {
  if (values.text === "-" && values.settings === "-")
    throw usageError("--text and --settings: only one of them can be standard input", "name a file for the other");
  return {
    ...(values.text !== undefined && { text: await givenText(values.text, "cortex persona") }),
    ...(values.settings !== undefined && { settings: await settingsIn(values.settings) }),
  };
}

async function settingsIn(path: string): Promise<Record<string, unknown>> {
  const given = await givenText(path, "cortex persona");
  try {
    const value: unknown = parseJson(given);
    if (isRecord(value)) return value;
    throw new Error("expected an object");
  } catch (error) {
    throw usageError(`${path}: its settings are not JSON: ${messageOf(error)}`, "expected an object, {…}", error);
  }
}
