/** The copy of a database's file that is kept before its tables change: all of it, or none is there. */
import { open, rename, rm } from "node:fs/promises";
import { type Kysely, sql } from "kysely";
import { makePrivateFile } from "../../../files/locks/private-file.ts";

/** Takes the place of one that was made for the same step before: what was stored since isn't in that. */
export async function keepCopy<Tables>(database: Kysely<Tables>, copy: string): Promise<void> {
  const part = `${copy}.part`;
  // Left by a program that was killed.
  for (const left of [part, `${part}-journal`]) await rm(left, { force: true });
  makePrivateFile(part);
  await sql`VACUUM INTO ${part}`.execute(database);
  {
    // SQLite syncs no copy that it makes so.
    await using file = await open(part, "r+");
    await file.sync();
  }
  await rename(part, copy);
}
