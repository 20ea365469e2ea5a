/**
 * Sessions of users in a browser, each a device of theirs: a secret for a cookie, kept as its SHA-256, and a word that only the
 * session's own pages know.
 */
import { createHash, randomBytes } from "node:crypto";
import type { Database } from "../database/connection/open-database.ts";
import type { User } from "../records/people.ts";
import { timeOf } from "../records/fields.ts";
import { WorkspaceError } from "../records/workspace-error.ts";

/** Milliseconds for which a session lasts. */
export const sessionMs = 30 * 24 * 60 * 60 * 1000;

const secretBytes = 32;
/** So seldom it is noted that a session is in use, in ms. */
const seenMs = 60_000;
/** Characters of a hash that are an id: nobody can find the secret, and no two are alike. */
const idLength = 32;

const hashOf = (secret: string) => createHash("sha256").update(secret).digest("hex");

export type Session = { id: string; user: User; expiresAt: number };

/** A session as its user sees it. */
export type Device = { id: string; device: string; createdAt: number; lastSeenAt: number; expiresAt: number };

/** Begins a session and returns its secret, which can't be had again. Sessions that are over are deleted. */
export async function beginSession(
  database: Database,
  userId: string,
  device: string,
): Promise<{ secret: string; expiresAt: number }> {
  const now = Date.now();
  const secret = `cxs_${randomBytes(secretBytes).toString("base64url")}`;
  const expiresAt = now + sessionMs;
  await database.deleteFrom("sessions").where("expires_at", "<", now).execute();
  await database
    .insertInto("sessions")
    .values({
      hash: hashOf(secret),
      user_id: userId,
      created_at: now,
      expires_at: expiresAt,
      device,
      last_seen_at: now,
    })
    .execute();
  return { secret, expiresAt };
}

/** The session of a secret, or null. Notes that it is in use, where that can be written. */
export async function sessionOf(database: Database, secret: string): Promise<Session | null> {
  const now = Date.now();
  const hash = hashOf(secret);
  const row = await database
    .selectFrom("sessions")
    .innerJoin("users", "users.id", "sessions.user_id")
    .select(["users.id", "users.name", "users.created_at", "sessions.expires_at", "sessions.last_seen_at"])
    .where("sessions.hash", "=", hash)
    .where("sessions.expires_at", ">=", now)
    .executeTakeFirst();
  if (!row) return null;
  if (now - row.last_seen_at > seenMs)
    await database
      .updateTable("sessions")
      .set({ last_seen_at: now })
      .where("hash", "=", hash)
      .execute()
      .catch(() => {});
  const user = { id: row.id, name: row.name, created_at: timeOf(row.created_at) };
  return { id: hash.slice(0, idLength), user, expiresAt: row.expires_at };
}

/** The sessions of a user. */
export async function devicesOf(database: Database, userId: string): Promise<Device[]> {
  const rows = await database
    .selectFrom("sessions")
    .selectAll()
    .where("user_id", "=", userId)
    .where("expires_at", ">=", Date.now())
    .execute();
  return rows.map((row) => ({
    id: row.hash.slice(0, idLength),
    device: row.device,
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
    expiresAt: row.expires_at,
  }));
}

export async function endSession(database: Database, secret: string): Promise<void> {
  await database.deleteFrom("sessions").where("hash", "=", hashOf(secret)).execute();
}

/** Ends one of a user's sessions by its id. @throws WorkspaceError `not_found` */
export async function endDevice(database: Database, userId: string, id: string): Promise<void> {
  const isId = /^[0-9a-f]+$/.test(id) && id.length === idLength;
  const ended = isId
    ? await database
        .deleteFrom("sessions")
        .where("user_id", "=", userId)
        .where("hash", "like", `${id}%`)
        .returning("hash")
        .execute()
    : [];
  if (ended.length === 0) throw new WorkspaceError("not_found", "there is no such session of yours");
}

/** Names the pages of a session to the server: a page from elsewhere can send the cookie, and can't know this. */
export const csrfTokenOf = (secret: string) => createHash("sha256").update(`csrf:${secret}`).digest("base64url");
