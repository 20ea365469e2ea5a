/** A persona before it is saved: what is wrong with it, which tools it would have, and a run that tries it. */
import { messageOf } from "../../../files/errors/error-message.ts";
import { readToolCatalog } from "../../../journal/programs/tool-catalog.ts";
import { checkPersona, loadPersonas } from "../../../personas/load.ts";
import { dropNulls } from "../../../protocol/json/json-object.ts";
import { Request, requestFields } from "../../../protocol/runs/request/request.ts";
import { expandTools, externalPacks } from "../../../protocol/settings/packs.ts";
import { PersonaSettings } from "../../../protocol/settings/persona.ts";
import { issueTexts } from "../../../protocol/words/issues.ts";
import { WorkspaceError } from "../../../workspace/records/workspace-error.ts";
import type { Machine } from "../../machine/machine.ts";
import { startRun } from "../access/start-run.ts";

type Draft = { instruction: string; settings: Record<string, unknown> };

export async function previewPersona({ journal }: Pick<Machine, "journal">, name: string, draft: Draft) {
  const { tools, disable_mcp: isWithout } = draft.settings;
  const { sources } = await readToolCatalog(journal);
  const wanted = PersonaSettings.shape.tools.safeParse(tools).data;
  const { names, unknown } = expandTools(wanted, externalPacks(sources));
  return {
    problem: problemOf(name, draft),
    fields: fieldProblems(draft.settings),
    tools: isWithout === true ? [] : names,
    unknown_tools: unknown,
  };
}

function problemOf(name: string, { instruction, settings }: Draft): string | null {
  try {
    checkPersona(name, instruction, JSON.stringify(settings));
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

function fieldProblems(settings: Record<string, unknown>): { path: string; message: string }[] {
  const fields = dropNulls(settings);
  const parsed = PersonaSettings.safeParse(fields);
  if (parsed.success) return [];
  const texts = issueTexts(parsed.error, fields);
  return parsed.error.issues.map(({ path }, index) => {
    const at = path.map(String).join(".");
    return { path: at, message: (texts[index] ?? "").replace(`${at}: `, "") };
  });
}

type Try = {
  prompt: string;
  facet?: string | undefined;
  instruction?: string | undefined;
  settings?: Record<string, unknown> | undefined;
};

/** Where a result goes and who is asked next stays as it is saved: a try changes neither. */
const leftOut = new Set(["save", "handoff", "day", "facet", "prompt", "persona", "instruction", "conversation"]);

/** The request of a try: the persona, with what isn't saved of it. @throws WorkspaceError */
export function requestOfTry(journal: string, name: string, asked: Try): Omit<Request, "ts"> {
  const { prompt, facet, instruction, settings = {} } = asked;
  if (!loadPersonas(journal).personas.has(name))
    throw new WorkspaceError("not_found", `there is no persona "${name}" that can be used`);
  const known = Object.entries(settings).filter(
    ([key]) => Object.hasOwn(PersonaSettings.shape, key) && requestFields.has(key) && !leftOut.has(key),
  );
  const request = {
    ...Object.fromEntries(known),
    prompt,
    persona: name,
    ...(facet !== undefined && { facet }),
    // A text of its own is for a conversation: this one begins with the prompt.
    ...(instruction !== undefined && { instruction, conversation: [] }),
  };
  const parsed = Request.safeParse({ ...request, ts: Date.now() });
  if (!parsed.success) throw new WorkspaceError("invalid", issueTexts(parsed.error, request).join("; "));
  // Its id is given when it is asked for.
  const { ts: _, ...asks } = parsed.data;
  return asks;
}

/** Asks a persona something, with what isn't saved of it. @throws WorkspaceError, UnavailableError */
export async function tryPersona(machine: Machine, name: string, asked: Try) {
  return { run: await startRun(machine, requestOfTry(machine.journal, name, asked)) };
}
