/** Pages of the list of sessions. Pure. */
import type { SessionInfo } from "@agentclientprotocol/sdk";
import type { SessionRecord } from "../../journal/editor-sessions/session-store.ts";

/** Sessions of a page. */
export const pageSize = 50;

export type SessionPage = { sessions: SessionInfo[]; nextCursor?: string };

/**
 * @param sorted the one that was used last first
 * @param cursor as the page before has it; it stays right while sessions come and go
 * @returns null for a cursor that is none of ours
 */
export function sessionPage(
  sorted: readonly SessionRecord[],
  cwd: string | null | undefined,
  cursor: string | null | undefined,
): SessionPage | null {
  const place = typeof cursor === "string" ? readCursor(cursor) : null;
  if (typeof cursor === "string" && place === null) return null;
  const wanted = sorted.filter(
    (record) => (typeof cwd !== "string" || record.cwd === cwd) && (place === null || isBehind(record, place)),
  );
  const page = wanted.slice(0, pageSize);
  const last = page.at(-1);
  return {
    sessions: page.map(sessionInfo),
    ...(last && wanted.length > page.length && { nextCursor: `${last.updated}.${last.id}` }),
  };
}

const sessionInfo = ({ id, cwd, title, updated }: SessionRecord): SessionInfo => ({
  sessionId: id,
  cwd,
  title,
  updatedAt: new Date(updated).toISOString(),
});

type Place = { updated: number; id: string };

function readCursor(cursor: string): Place | null {
  const [updated = "", id = ""] = cursor.split(".");
  return /^\d{1,16}$/.test(updated) && id !== "" ? { updated: Number(updated), id } : null;
}

const isBehind = ({ updated, id }: SessionRecord, place: Place) =>
  updated < place.updated || (updated === place.updated && id > place.id);
