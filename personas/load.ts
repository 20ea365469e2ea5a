/** Reads personas: the built-in ones, the user's, and those of apps. What can't be read is a problem of that one alone. */
import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, extname, join, sep } from "node:path";
import { messageOf } from "../files/errors/error-message.ts";
import { hasCode } from "../files/errors/errno.ts";
import { issueTexts } from "../protocol/words/issues.ts";
import { namePattern, savePattern } from "../protocol/names/names.ts";
import { nearestName } from "../protocol/words/nearest-name.ts";
import { fileStamp } from "./file-stamp.ts";
import { type Persona, PersonaSettings } from "../protocol/settings/persona.ts";
import { dropNulls, isRecord } from "../protocol/json/json-object.ts";
import { requestFields } from "../protocol/runs/request/request.ts";
import { parseJson } from "../protocol/json/parse-json.ts";

/** The problem of a persona. `name` is the one under which it would be known. */
export type PersonaProblem = { name: string; path: string; error: string };

/** Every persona that can be used, by name. One that has a problem isn't among them; one with a warning is. */
export type Personas = {
  personas: Map<string, Persona>;
  problems: PersonaProblem[];
  warnings: PersonaProblem[];
  /** By its path how each file was when it was read: `fileStamp`. */
  stamps: Map<string, string>;
};

/** More text than this before the first question is a mistake: about 60,000 tokens. */
export const maxPersonaBytes = 256 * 1024;

/**
 * Reads all personas of a journal. The user's win over the built-in ones of the same name, also when they are broken:
 * what runs is never another than the one that was written.
 */
export function loadPersonas(journal: string): Personas {
  const loaded: Personas = { personas: new Map(), problems: [], warnings: [], stamps: new Map() };
  for (const { folder, source } of personaFolders(journal, loaded)) loadFolder(folder, source, loaded);
  for (const persona of loaded.personas.values()) {
    warnOfHandoff(persona, loaded);
    warnOfTask(persona, loaded);
  }
  return loaded;
}

/** The folder of the built-in personas: beside this file, or beside what was built from it. */
export function builtInFolder(): string {
  const beside = import.meta.dirname;
  return basename(join(beside, "..")) === "dist" ? join(beside, "..", "..", "personas") : beside;
}

type Source = Persona["source"];

function personaFolders(journal: string, loaded: Personas): { folder: string; source: Source }[] {
  const apps = entries(join(journal, "apps"), loaded).filter((app) => namePattern.test(app));
  return [
    { folder: builtInFolder(), source: "built-in" },
    { folder: join(journal, "personas"), source: "journal" },
    ...apps.map((app) => ({ folder: join(journal, "apps", app, "personas"), source: `app:${app}` as const })),
  ];
}

function loadFolder(folder: string, source: Source, loaded: Personas): void {
  const { personas, problems, warnings } = loaded;
  const files = entries(folder, loaded).filter((file) => file.endsWith(".txt") || file.endsWith(".json"));
  for (const file of files) loaded.stamps.set(join(folder, file), fileStamp(join(folder, file)));
  for (const stem of new Set(files.map((file) => basename(file, extname(file))))) {
    const name = source.startsWith("app:") ? `${source.slice("app:".length)}:${stem}` : stem;
    const path = join(folder, `${stem}.txt`);
    // Settings alone change a built-in persona, and leave it its words.
    const before = personas.get(name);
    const inherited = before?.source === "built-in" ? before.instruction : null;
    personas.delete(name);
    try {
      const has = (ending: string) => files.includes(`${stem}.${ending}`);
      const instruction = has("txt") ? null : inherited;
      const persona = loadPersona({ folder, stem, name, source }, instruction, has("json"));
      personas.set(name, persona);
      for (const error of unknownKeys(persona.settings))
        warnings.push({ name, path: path.replace(/txt$/, "json"), error });
    } catch (error) {
      const at = error instanceof PersonaError ? error.path : path;
      problems.push({ name, path: at, error: messageOf(error) });
    }
  }
}

class PersonaError extends Error {
  readonly path: string;
  constructor(path: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.path = path;
  }
}

type PersonaPlace = { folder: string; stem: string; name: string; source: Source };

/** @param inherited the instructions, of one that has settings alone */
function loadPersona(
  { folder, stem, name, source }: PersonaPlace,
  inherited: string | null,
  hasSettings: boolean,
): Persona {
  const path = join(folder, `${stem}.${inherited === null ? "txt" : "json"}`);
  if (!namePattern.test(stem))
    throw new PersonaError(path, `"${stem}" is not a name for a persona: expected ${namePattern.source}`);
  const instruction = inherited ?? readText(folder, path, "its instructions").trim();
  if (instruction === "") throw new PersonaError(path, "it is empty: expected its instructions");
  const settings = hasSettings ? readPersonaSettings(folder, join(folder, `${stem}.json`)) : {};
  return { name, instruction, settings, source, path };
}

/** Whether a persona could be used with these words and settings, before they are written. @throws Error saying what is wrong */
export function checkPersona(name: string, text: string, settings: string | null): PersonaSettings {
  if (text.trim() === "") throw new PersonaError(`${name}.txt`, "its instructions are empty");
  for (const [path, content] of [[`${name}.txt`, text] as const, [`${name}.json`, settings ?? ""] as const])
    if (Buffer.byteLength(content) > maxPersonaBytes)
      throw new PersonaError(path, `${path} would have more than ${maxPersonaBytes} bytes`);
  return settings === null ? {} : settingsOf(`${name}.json`, settings);
}

function readPersonaSettings(folder: string, path: string): PersonaSettings {
  return settingsOf(path, readText(folder, path, "its settings"));
}

function settingsOf(path: string, text: string): PersonaSettings {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    throw new PersonaError(path, `not JSON: ${messageOf(error)}`, {
      cause: error,
    });
  }
  if (!isRecord(value)) throw new PersonaError(path, `expected a JSON object, got ${text.trim().slice(0, 100)}`);
  const fields = dropNulls(value);
  const parsed = PersonaSettings.safeParse(fields);
  if (!parsed.success) throw new PersonaError(path, issueTexts(parsed.error, fields).join("; "));
  const { schedule, save } = parsed.data;
  if (schedule !== undefined && !/^(daily|\S+(\s+\S+){4})$/.test(schedule))
    throw new PersonaError(path, `schedule: expected "daily" or a cron expression of five fields, got "${schedule}"`);
  if (save !== undefined && !savePattern.test(save))
    throw new PersonaError(path, `save: expected a file name below the day's folder, got "${save}"`);
  return parsed.data;
}

/** The text of a regular file, links followed, that really is in this folder. */
function readText(folder: string, path: string, what: string): string {
  try {
    const real = realpathSync(path);
    if (!real.startsWith(realpathSync(folder) + sep)) throw new PersonaError(path, `it leads out of ${folder}`);
    const stats = statSync(real);
    // Reading a FIFO would wait for ever.
    if (!stats.isFile()) throw new PersonaError(path, "it is not a file");
    if (stats.size > maxPersonaBytes)
      throw new PersonaError(path, `it has ${stats.size} bytes: at most ${maxPersonaBytes} are read`);
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(real));
  } catch (error) {
    if (error instanceof PersonaError) throw error;
    if (hasCode(error, "ENOENT")) throw new PersonaError(path, `${what} are missing: there is no ${basename(path)}`);
    if (hasCode(error, "ERR_ENCODING_INVALID_ENCODED_DATA")) throw new PersonaError(path, "it is not UTF-8");
    throw new PersonaError(path, `it can't be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** A key that nobody knows goes to the backend. One that looks like a slip of a known one is worth a word. */
function unknownKeys(settings: PersonaSettings): string[] {
  const known = Object.keys(PersonaSettings.shape);
  const unknown = Object.keys(settings).filter((key) => !known.includes(key) && !requestFields.has(key));
  return unknown.flatMap((key) => {
    const nearest = nearestName(key, known);
    return nearest ? [`unknown key "${key}": did you mean "${nearest}"?`] : [];
  });
}

function warnOfHandoff({ name, path, settings }: Persona, { personas, warnings }: Personas): void {
  const to = settings.handoff?.persona;
  if (to === undefined || personas.has(to)) return;
  const nearest = nearestName(to, personas.keys());
  const hint = nearest ? `: did you mean "${nearest}"?` : "";
  warnings.push({
    name,
    path: path.replace(/txt$/, "json"),
    error: `it hands off to "${to}", which there is not${hint}`,
  });
}

/** An agent that could send it off learns from its description alone what it is for. */
function warnOfTask({ name, path, settings: { task, title, description } }: Persona, { warnings }: Personas): void {
  if (!task || (description ?? title ?? "").trim() !== "") return;
  const error = `"task" is true, and there is no "description": agents don't know what to send it off for`;
  warnings.push({ name, path: path.replace(/txt$/, "json"), error });
}

/** The names in a folder, in order; none when there is no such folder. Hidden ones are left out. */
function entries(folder: string, { problems }: Personas): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith("."))
      .toSorted();
  } catch (error) {
    if (!hasCode(error, "ENOENT"))
      problems.push({
        name: "",
        path: folder,
        error: `it can't be listed: ${messageOf(error)}`,
      });
    return [];
  }
}
