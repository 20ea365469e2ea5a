import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { expect, test } from "vitest";
import { migrations } from "../../../../workspace/database/migrations/migrations.ts";
import { openDatabase } from "../../../../workspace/database/connection/open-database.ts";
import { describeDatabases } from "../../temporary-store.ts";

/** A step that a later version could have. */
const later = (up: (db: Kysely<unknown>) => Promise<unknown>): Record<string, Migration> => ({
  ...migrations,
  "999-later": { up: async (db: Kysely<unknown>) => void (await up(db)) },
});
const addColor = later((db) => db.schema.alterTable("threads").addColumn("color", "text").execute());

describeDatabases((newTarget) => {
  test("programs that open an empty database at once make its tables once", async () => {
    const target = await newTarget();
    const opened = await Promise.all([1, 2, 3, 4].map(() => openDatabase(target)));
    for (const database of opened) {
      expect(await database.selectFrom("workspaces").selectAll().execute()).toEqual([]);
      await database.destroy();
    }
  });

  test("a later version's step is taken once, with what was there kept", async () => {
    const target = await newTarget();
    const first = await openDatabase(target);
    await first.insertInto("users").values({ id: "u1", name: "Ada", created_at: 1 }).execute();
    await first.destroy();
    const opened = await Promise.all([1, 2].map(() => openDatabase(target, addColor)));
    for (const database of opened) {
      expect(await database.selectFrom("users").selectAll().execute()).toEqual([
        { id: "u1", name: "Ada", created_at: 1 },
      ]);
      await sql`SELECT color FROM threads`.execute(database);
      await database.destroy();
    }
    if (!("file" in target)) return;
    const folder = dirname(target.file);
    const files = readdirSync(folder).filter((name) => name.startsWith(`${basename(target.file)}`));
    expect(files).toContain(`${basename(target.file)}.before-999-later`);
    const modes = files.map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]);
    expect(modes).toEqual(files.map((name) => [name, "600"]));
  });

  test("a step that fails leaves the tables as they were", async () => {
    const target = await newTarget();
    await (await openDatabase(target)).destroy();
    const failing = later(async (db) => {
      await db.schema.alterTable("threads").addColumn("color", "text").execute();
      throw new Error("cut off");
    });
    await expect(openDatabase(target, failing)).rejects.toThrow("can't be brought up to date");
    const database = await openDatabase(target);
    await expect(sql`SELECT color FROM threads`.execute(database)).rejects.toThrow("color");
    await database.destroy();
  });

  test("a database of a later version is refused by an earlier one", async () => {
    const target = await newTarget();
    await (await openDatabase(target, addColor)).destroy();
    await expect(openDatabase(target)).rejects.toThrow("a newer cortex has made the workspaces' tables (");
  });
});
