/** Changes a persona of the journal, guarded by the version that was read: who has read another changes nothing. */
import { messageOf } from "../files/errors/error-message.ts";
import { awaitFileLock } from "../files/locks/file-lock.ts";
import { replaceFile } from "../files/writing/replace-file.ts";
import { makePrivateFolders, runtime } from "../journal/config/paths.ts";
import { namePattern } from "../protocol/names/names.ts";
import { checkPersona } from "./load.ts";
import { ownPersonaPath, PersonaFileError, type PersonaFiles, readPersonaFiles, versioned } from "./persona-files.ts";
import { keepVersion } from "./persona-versions.ts";

/** Somebody has changed it since it was read. */
export class PersonaChangedError extends Error {
  override name = "PersonaChangedError";
  readonly version: string | null;
  constructor(name: string, version: string | null) {
    super(`the persona "${name}" was changed since you read it: it is ${version ?? "gone"} now`);
    this.version = version;
  }
}

/** The change of a persona; absent: as it is. */
export type PersonaChange = { text?: string | undefined; settings?: Record<string, unknown> | undefined };

/** Milliseconds for which another program may write. */
const lockMs = 5000;

/**
 * Writes a persona of the journal; one that is built in gets files of its own there.
 * @param version the one that was read; null: there was none
 * @throws PersonaChangedError, PersonaFileError
 */
export async function editPersona(
  journal: string,
  name: string,
  version: string | null,
  change: PersonaChange,
): Promise<PersonaFiles> {
  if (!namePattern.test(name))
    throw new PersonaFileError(
      name.includes(":")
        ? `"${name}" belongs to an app: change it there, or make one of your own`
        : `"${name}" is not a name for a persona: expected ${namePattern.source}`,
    );
  makePrivateFolders(journal);
  using lock = await awaitFileLock(runtime(journal, "personas.lock"), lockMs);
  if (!lock) throw new PersonaFileError("personas are being written all the time: try again");
  const before = readPersonaFiles(journal, name);
  if ((before?.version ?? null) !== version) throw new PersonaChangedError(name, before?.version ?? null);
  const after = versioned({
    name,
    source: "journal",
    text: change.text === undefined ? (before?.text ?? null) : withLineEnd(change.text),
    settings:
      change.settings === undefined ? (before?.settings ?? null) : `${JSON.stringify(change.settings, null, 2)}\n`,
  });
  try {
    checkPersona(name, after.text ?? "", after.settings);
  } catch (error) {
    throw new PersonaFileError(messageOf(error), { cause: error });
  }
  // Before anything is replaced: a crash in between loses neither.
  if (before) await keepVersion(journal, before, Date.now());
  await keepVersion(journal, after, Date.now());
  if (after.text !== null) await replaceFile(ownPersonaPath(journal, name, "txt"), after.text);
  if (after.settings !== null) await replaceFile(ownPersonaPath(journal, name, "json"), after.settings);
  return after;
}

const withLineEnd = (text: string) => (text.endsWith("\n") ? text : `${text}\n`);
