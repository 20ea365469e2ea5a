/** `cortex persona try`: asks a persona something, with what isn't saved of it, and waits for the answer. */
import { loadPersonas } from "../../../personas/load.ts";
import { readEnvironment } from "../../../proc/programs/environment.ts";
import { issueTexts } from "../../../protocol/words/issues.ts";
import { PersonaTry } from "../../../web/journal/personas/persona-records.ts";
import { requestOfTry } from "../../../web/journal/personas/preview-persona.ts";
import { WorkspaceError } from "../../../workspace/records/workspace-error.ts";
import { parseCommandLine, usageError } from "../../command/command.ts";
import type { AskRequest } from "../../command/connection.ts";
import { givenText } from "../../command/given-file.ts";
import { askAndShow } from "../../runs/ask.ts";
import { missingPersona } from "./persona-missing.ts";
import { draftOf } from "./persona-put.ts";

const [text, flag] = [{ type: "string" }, { type: "boolean" }] as const;
const options = { json: flag, detach: flag, facet: text, text, settings: text } as const;

/** @param args what stands behind `try` */
export async function tryAction(args: string[]): Promise<number> {
  const { values, positionals } = parseCommandLine(args, options, "cortex persona", 2);
  const [name, typed] = positionals;
  const { facet, detach = false, json = false } = values;
  if (name === undefined || typed === undefined)
    throw usageError("NAME or TEXT is missing", 'for example: cortex persona try reviewer "Check the notes of today"');
  if (typed === "-" && (values.text === "-" || values.settings === "-"))
    throw usageError("TEXT and an option: only one of them can be standard input", "name a file for the other");
  const env = readEnvironment();
  const { text: instruction, settings } = await draftOf(values);
  const prompt = typed === "-" ? (await givenText(typed, "cortex persona")).trimEnd() : typed;
  const request = requestOf(env.journalPath, name, { prompt, facet, instruction, settings });
  return askAndShow(env, request, { detach, json });
}

/** @throws CommandError where the persona can't be asked so */
function requestOf(journal: string, name: string, asked: Record<string, unknown>): AskRequest {
  const parsed = PersonaTry.safeParse(asked);
  if (!parsed.success) throw usageError(issueTexts(parsed.error, asked).join("; "), "see: cortex persona --help");
  try {
    return requestOfTry(journal, name, parsed.data);
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    if (error.code === "not_found") throw missingPersona(name, loadPersonas(journal));
    throw usageError(error.message, "see: cortex persona --help", error);
  }
}
