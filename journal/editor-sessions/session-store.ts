/**
 * The sessions of editors, each a document of `.state/acp/`: what was chosen, and which runs it is made of. What was said stands in
 * the runs' files.
 */
import { readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { z } from "zod";
import { hasCode } from "../../files/errors/errno.ts";
import { readDocument } from "../../files/json-document.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";
import { state } from "../config/paths.ts";
import { AgentId } from "../../protocol/names/names.ts";

const SessionId = z.uuid();

export const SessionRecord = z.looseObject({
  id: SessionId,
  /** The folder of the editor's project. */
  cwd: z.string(),
  title: z.string().nullable(),
  /** In ms. */
  updated: z.number().int(),
  /** A persona's name, or `agent/<id>` for a long-lived agent. */
  mode: z.string(),
  model: z.string(),
  effort: z.string(),
  /** Its runs, each going on from the one before; of a long-lived agent the turns that were begun here. */
  runs: z.array(AgentId),
});
export type SessionRecord = z.infer<typeof SessionRecord>;

const fileOf = (journal: string, id: string) => state(journal, "acp", `${SessionId.parse(id)}.json`);

/** Null: there is no such session. */
export const readSession = (journal: string, id: string): SessionRecord | null =>
  SessionId.safeParse(id).success ? readDocument(fileOf(journal, id), SessionRecord) : null;

export const writeSession = (journal: string, record: SessionRecord): Promise<void> =>
  replaceFile(fileOf(journal, record.id), `${JSON.stringify(record)}\n`);

/** Removes a session; its runs stay. */
export const removeSession = (journal: string, id: string): Promise<void> => rm(fileOf(journal, id), { force: true });

/** All sessions, the one that was used last first. */
export function listSessions(journal: string): SessionRecord[] {
  const records = namesIn(state(journal, "acp")).flatMap((name) => readSession(journal, name) ?? []);
  return records.toSorted((one, other) => other.updated - one.updated || (one.id < other.id ? -1 : 1));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).flatMap((name) => (name.endsWith(".json") ? name.slice(0, -".json".length) : []));
  } catch (error) {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  }
}
