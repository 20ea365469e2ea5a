/** Links that let a browser in: a code for one session, good for ten minutes, kept as its SHA-256. */
import { createHash, randomBytes } from "node:crypto";
import type { Database } from "../database/connection/open-database.ts";

/** Milliseconds for which a link is good. */
const linkMs = 10 * 60 * 1000;

const codeBytes = 32;

const hashOf = (code: string) => createHash("sha256").update(`link:${code}`).digest("hex");

/** Makes a code for a user's next session. Codes that are too old are deleted. */
export async function makeSessionLink(
  database: Database,
  userId: string,
): Promise<{ code: string; expiresAt: number }> {
  const now = Date.now();
  const code = randomBytes(codeBytes).toString("base64url");
  const expiresAt = now + linkMs;
  await database.deleteFrom("session_links").where("expires_at", "<", now).execute();
  await database
    .insertInto("session_links")
    .values({ hash: hashOf(code), user_id: userId, expires_at: expiresAt })
    .execute();
  return { code, expiresAt };
}

/** Whether a code would let somebody in. */
export async function isSessionLink(database: Database, code: string): Promise<boolean> {
  const row = await database
    .selectFrom("session_links")
    .select("expires_at")
    .where("hash", "=", hashOf(code))
    .where("expires_at", ">=", Date.now())
    .executeTakeFirst();
  return row !== undefined;
}

/** Takes a code: whoever comes with it next gets nothing. @returns the user whom it is for; null: it was used, is too old, or never was */
export async function takeSessionLink(database: Database, code: string): Promise<string | null> {
  const row = await database
    .deleteFrom("session_links")
    .where("hash", "=", hashOf(code))
    .returning(["user_id", "expires_at"])
    .executeTakeFirst();
  return row && row.expires_at >= Date.now() ? row.user_id : null;
}
