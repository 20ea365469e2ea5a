/** Answers of requests with an `Idempotency-Key`: kept in the transaction of what they tell of, for a day, for each user. */
import type { Database } from "../connection/open-database.ts";
import type { IdempotencyTable } from "../tables/tables.ts";

/** Milliseconds for which the same key is answered the same. */
export const keptMs = 24 * 60 * 60 * 1000;

export type KeptAnswer = Pick<IdempotencyTable, "request_hash" | "status" | "response_json">;

/** The answer that a user's key was given, or null. */
export async function keptAnswer(tables: Database, userId: string, key: string): Promise<KeptAnswer | null> {
  const row = await tables
    .selectFrom("idempotency_keys")
    .select(["request_hash", "status", "response_json"])
    .where("user_id", "=", userId)
    .where("key", "=", key)
    .where("created_at", ">=", Date.now() - keptMs)
    .executeTakeFirst();
  return row ?? null;
}

/** Keeps an answer, and drops the user's old ones. @returns whether the key was free */
export async function keepAnswer(tables: Database, userId: string, key: string, answer: KeptAnswer): Promise<boolean> {
  const now = Date.now();
  await tables
    .deleteFrom("idempotency_keys")
    .where("user_id", "=", userId)
    .where("created_at", "<", now - keptMs)
    .execute();
  const kept = await tables
    .insertInto("idempotency_keys")
    .values({ user_id: userId, key, ...answer, created_at: now })
    .onConflict((conflict) => conflict.columns(["user_id", "key"]).doNothing())
    .returning("key")
    .executeTakeFirst();
  return kept !== undefined;
}
