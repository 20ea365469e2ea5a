/**
 * The notices that browsers are sent: kept before they are sent, so that a restart loses none of them, and by their
 * names, so that none is told twice.
 */
import { createHash } from "node:crypto";
import type { Database } from "../../../workspace/database/connection/open-database.ts";
import type { PushKind } from "../records/push-records.ts";
import type { Target } from "./push-devices.ts";

/** Something to be told of. */
export type News = {
  /** The name of what it tells. */
  name: string;
  kind: PushKind | "try";
  /** The page's address for it. */
  leadsTo: string;
  /** When it happened, in ms: nobody hears of what was before they asked. */
  at: number;
};

/** Waits to be sent, to one browser. */
export type DuePush = { hash: string; name: string; kind: string; leadsTo: string; tries: number; createdAt: number };

/** More that waits for one browser is let go of: it is away, and Now shows it all. */
const mostWaiting = 100;
/** Milliseconds for which a notice that was told is known. */
const keptMs = 7 * 86_400_000;
/** Older news is none, in ms. */
const newsMs = 86_400_000;
/** Sent at once. */
const together = 20;

/** Keeps it for each browser that wants it. @returns whether any does */
export async function keepNews(database: Database, targets: readonly Target[], news: News): Promise<boolean> {
  const now = Date.now();
  if (news.at < now - newsMs) return false;
  const takes = ({ kinds, since }: Target) => news.kind === "try" || (kinds.includes(news.kind) && since <= news.at);
  let isKept = false;
  for (const { hash } of targets.filter(takes)) {
    const waiting = await database
      .selectFrom("pushes")
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .where("session_hash", "=", hash)
      .where("state", "=", "waiting")
      .executeTakeFirst();
    if (Number(waiting?.count ?? 0) >= mostWaiting) continue;
    const row = { kind: news.kind, leads_to: news.leadsTo, why: null, tries: 0, next_at: now, created_at: now };
    const kept = await database
      .insertInto("pushes")
      .values({ session_hash: hash, name: nameOf(news.name), state: "waiting", ...row })
      .onConflict((conflict) => conflict.columns(["session_hash", "name"]).doNothing())
      .returning("name")
      .execute();
    isKept ||= kept.length > 0;
  }
  return isKept;
}

/** It goes out as the topic of the message, of which a push service keeps the newest: at most 32 characters of base64url. */
const nameOf = (name: string) => createHash("sha256").update(name).digest("base64url").slice(0, 32);

export async function duePushes(database: Database): Promise<DuePush[]> {
  const rows = await database
    .selectFrom("pushes")
    .selectAll()
    .where("state", "=", "waiting")
    .where("next_at", "<=", Date.now())
    .orderBy("next_at")
    .limit(together)
    .execute();
  return rows.map((row) => ({
    hash: row.session_hash,
    name: row.name,
    kind: row.kind,
    leadsTo: row.leads_to,
    tries: row.tries,
    createdAt: row.created_at,
  }));
}

/** Notes a try before it is made. False: somebody else makes it. */
export async function beginTry(database: Database, { hash, name, tries }: DuePush, nextAt: number): Promise<boolean> {
  const begun = await database
    .updateTable("pushes")
    .set({ tries: tries + 1, next_at: nextAt })
    .where("session_hash", "=", hash)
    .where("name", "=", name)
    .where("state", "=", "waiting")
    .where("tries", "=", tries)
    .returning("name")
    .execute();
  return begun.length > 0;
}

/** @param after what became of it; `next_at` for one that is tried again */
export async function endTry(
  database: Database,
  { hash, name }: DuePush,
  after: { state: "waiting" | "sent" | "failed"; why: string | null; next_at?: number },
): Promise<void> {
  await database.updateTable("pushes").set(after).where("session_hash", "=", hash).where("name", "=", name).execute();
}

/** Lets go of what was told long ago. */
export async function dropOldPushes(database: Database): Promise<void> {
  await database
    .deleteFrom("pushes")
    .where("created_at", "<", Date.now() - keptMs)
    .execute();
}
