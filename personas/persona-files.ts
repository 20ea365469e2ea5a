/** The two files of a persona as they stand, and the version that they are: whoever changes them says which version they have read. */
import { hash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "../files/errors/errno.ts";
import { inside } from "../journal/config/paths.ts";
import { namePattern, personaNamePattern } from "../protocol/names/names.ts";
import type { Persona } from "../protocol/settings/persona.ts";
import { builtInFolder, maxPersonaBytes } from "./load.ts";

export type PersonaFiles = {
  name: string;
  source: Persona["source"];
  /** The instructions, `<name>.txt`; null: there is none. */
  text: string | null;
  /** The settings, `<name>.json`, as they are written. */
  settings: string | null;
  /** By their content: the same files are the same version. */
  version: string;
};

/** A persona that can't be read or written, in words for the one who asked. */
export class PersonaFileError extends Error {
  override name = "PersonaFileError";
}

export const isPersonaName = (name: string): boolean => personaNamePattern.test(name);

/** The files by which a persona is known, the journal's before the built-in ones; null: there is none. @throws PersonaFileError */
export function readPersonaFiles(journal: string, name: string): PersonaFiles | null {
  if (!isPersonaName(name)) return null;
  const [app, stem] = name.includes(":") ? (name.split(":") as [string, string]) : [null, name];
  if (app !== null) return filesIn(journal, join("apps", app, "personas"), name, stem, `app:${app}`);
  const own = filesIn(journal, "personas", name, stem, "journal");
  const builtIn = filesIn(builtInFolder(), ".", name, stem, "built-in");
  if (own === null || builtIn === null) return own ?? builtIn;
  // Settings alone change a built-in persona, and leave it its words.
  return versioned({ ...own, text: own.text ?? builtIn.text });
}

/** Where the files of a persona of the journal stand. @throws PersonaFileError when they would be outside of it */
export function ownPersonaPath(journal: string, name: string, ending: "txt" | "json"): string {
  if (!namePattern.test(name)) throw new PersonaFileError(`"${name}" is not a name for a persona of the journal`);
  try {
    return inside(journal, join("personas", `${name}.${ending}`));
  } catch (error) {
    throw new PersonaFileError(`the persona "${name}" can't be written: its file leads out of the journal`, {
      cause: error,
    });
  }
}

/** A version of two texts. */
export function versioned(files: Omit<PersonaFiles, "version">): PersonaFiles {
  const { text, settings } = files;
  return { ...files, version: hash("sha256", JSON.stringify([text, settings]), "hex").slice(0, 16) };
}

function filesIn(
  root: string,
  folder: string,
  name: string,
  stem: string,
  source: Persona["source"],
): PersonaFiles | null {
  const [text, settings] = (["txt", "json"] as const).map((ending) => textAt(root, join(folder, `${stem}.${ending}`)));
  if (text === null && settings === null) return null;
  return versioned({ name, source, text: text ?? null, settings: settings ?? null });
}

/** @throws PersonaFileError */
function textAt(root: string, path: string): string | null {
  if (!existsSync(join(root, path))) return null;
  try {
    const real = inside(root, path);
    const stats = statSync(real);
    if (!stats.isFile()) throw new PersonaFileError(`${path} is not a file`);
    if (stats.size > maxPersonaBytes) throw new PersonaFileError(`${path} has more than ${maxPersonaBytes} bytes`);
    return readFileSync(real, "utf8");
  } catch (error) {
    if (error instanceof PersonaFileError) throw error;
    if (hasCode(error, "ENOENT")) return null;
    throw new PersonaFileError(`${path} can't be read`, { cause: error });
  }
}
