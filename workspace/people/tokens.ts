/** Tokens of users: shown once, kept as their SHA-256. */
import { createHash, randomBytes } from "node:crypto";
import type { Transaction } from "kysely";
import type { Database } from "../database/connection/open-database.ts";
import type { Tables } from "../database/tables/tables.ts";
import type { User } from "../records/people.ts";
import { timeOf } from "../records/fields.ts";

/** 256 bits: can't be guessed, so its hash needs no salt. */
const tokenBytes = 32;

const hashOf = (token: string) => createHash("sha256").update(token).digest("hex");

/** Makes a token for a user and returns it. It can't be had again. */
export async function issueUserToken(
  tables: Transaction<Tables>,
  userId: string,
  now: number,
): Promise<{ token: string; hash: string }> {
  const token = `cxw_${randomBytes(tokenBytes).toString("base64url")}`;
  const hash = hashOf(token);
  await tables.insertInto("tokens").values({ hash, user_id: userId, created_at: now }).execute();
  return { token, hash };
}

/** Names a token: by so much of its hash that nobody has two of that name. */
export const tokenIdOf = (hash: string) => hash.slice(0, 12);

/** Finds the user of a token, or null. */
export async function userOfToken(database: Database, token: string): Promise<User | null> {
  const row = await database
    .selectFrom("tokens")
    .innerJoin("users", "users.id", "tokens.user_id")
    .select(["users.id", "users.name", "users.created_at"])
    .where("tokens.hash", "=", hashOf(token))
    .executeTakeFirst();
  return row ? { id: row.id, name: row.name, created_at: timeOf(row.created_at) } : null;
}
