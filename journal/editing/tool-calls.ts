/**
 * Which calls of tools have changed a file: `.state/tool-calls/<agent_id>/<digest>.json`. A call that is repeated, because its
 * caller died before it heard the answer, is answered again and changes nothing.
 *
 * The note is written before the change, and names the temporary file that will be renamed into place. So after a crash the
 * note without the temporary file means that the change was made; with it, that it wasn't. There is no moment in between.
 */
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { z } from "zod";
import { AgentId } from "../../protocol/names/names.ts";
import { state } from "../config/paths.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";
import { activeFile } from "../runs/run-files.ts";
import { parseOwnJson } from "../../protocol/json/parse-json.ts";

/** A call by its content: of which run, and a hash of its id, tool and arguments. */
export type CallKey = { agent_id: string; digest: string };

/** The edit that a call has made in a file: the line that it changed, and how it reads now. */
export const Edit = z.object({
  /** Relative to the journal. */
  path: z.string(),
  /** From 1. */
  line: z.number(),
  text: z.string(),
  /** False where everything was so already. */
  changed: z.boolean(),
});
export type Edit = z.infer<typeof Edit>;

const Note = z.object({ edit: Edit, temporary: z.string() });

/** Milliseconds for which the calls of a run that has ended are remembered: one may still be under way. */
const keptMs = 24 * 60 * 60 * 1000;

/** Reads the edit that a call has made, or undefined if it must still be made. */
export function doneBy(journal: string, key: CallKey): Edit | undefined {
  const note = readNote(noteFile(journal, key));
  if (!note) return undefined;
  const temporary = join(journal, note.temporary);
  if (!existsSync(temporary)) return note.edit;
  dropCallNote(journal, key);
  rmSync(temporary);
  return undefined;
}

/** Notes a change that is about to be made by renaming `temporary`. */
export async function noteCall(journal: string, key: CallKey, edit: Edit, temporary: string): Promise<void> {
  sweepOnceADay(journal);
  const note: z.infer<typeof Note> = { edit, temporary: relative(journal, temporary) };
  await replaceFile(noteFile(journal, key), `${JSON.stringify(note)}\n`);
}

/** Takes a note back: the change wasn't made. Before its temporary file goes. */
export function dropCallNote(journal: string, key: CallKey): void {
  rmSync(noteFile(journal, key), { force: true });
}

function noteFile(journal: string, { agent_id, digest }: CallKey): string {
  const known = agent_id === "commands" || AgentId.safeParse(agent_id).success;
  if (!known || !/^[0-9a-f]{64}$/.test(digest)) throw new Error(`"${agent_id}", "${digest}": no call has this key`);
  return join(folder(journal), agent_id, `${digest}.json`);
}

const folder = (journal: string) => state(journal, "tool-calls");

function readNote(file: string): z.infer<typeof Note> | undefined {
  try {
    return Note.parse(parseOwnJson(readFileSync(file, "utf8")));
  } catch {
    // Missing; or torn by hand, since it is replaced whole.
    return undefined;
  }
}

let sweptAt = 0;

function sweepOnceADay(journal: string): void {
  const now = Date.now();
  if (now - sweptAt < keptMs) return;
  sweptAt = now;
  removeOldCallNotes(journal, now);
}

/** Clears away the notes of runs that have ended. */
export function removeOldCallNotes(journal: string, now: number): void {
  if (!existsSync(folder(journal))) return;
  for (const name of readdirSync(folder(journal))) {
    const path = join(folder(journal), name);
    const isActive = AgentId.safeParse(name).success && existsSync(activeFile(journal, name));
    if (!isActive && now - statSync(path).mtimeMs > keptMs) rmSync(path, { recursive: true, force: true });
  }
}
