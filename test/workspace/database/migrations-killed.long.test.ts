/**
 * The tables from each earlier version to this one: with what was there, by two programs at once, and with a program that is
 * killed with -9 in the middle. Either all of a step is there afterwards, or nothing.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import type { Migration } from "kysely/migration";
import { expect, test } from "vitest";
import { migrations } from "../../../workspace/database/migrations/migrations.ts";
import {
  type Database,
  type DatabaseTarget,
  openDatabase,
} from "../../../workspace/database/connection/open-database.ts";
import { askUntil } from "../../support/ask-until.ts";
import { patienceMs } from "../../support/patience.ts";
import { describeDatabases } from "../temporary-store.ts";

const names = Object.keys(migrations);
const upTo = (count: number): Record<string, Migration> =>
  Object.fromEntries(Object.entries(migrations).slice(0, count));
const program = fileURLToPath(new URL("../../fixtures/open-workspace-database.ts", import.meta.url));

/** A program that opens a database. It stops at a step, once that is written and not committed. */
function openElsewhere(target: DatabaseTarget, stopAt = ""): ChildProcess {
  const env = { PATH: process.env["PATH"], TARGET: JSON.stringify(target), STOP_AT: stopAt };
  return spawn(process.execPath, [program], { env, stdio: ["ignore", "pipe", "inherit"] });
}

const plan = { type: "file", id: "a".repeat(64), name: "plan.txt", mime: "text/plain", size: 3 };

/** Fills a database with what people had in the first version: it must still be there. */
async function fill(database: Database): Promise<void> {
  const [id, now] = ["w1", 1];
  await sql`INSERT INTO workspaces (id, name, page, trust_level, last_event, created_at, updated_at)
    VALUES (${id}, 'Garden', 'We grow beans.', 1, 1, ${now}, ${now})`.execute(database);
  await sql`INSERT INTO threads (id, workspace_id, title, is_brief, created_by, created_at, updated_at)
    VALUES ('t1', ${id}, 'Seeds', 0, 'u1', ${now}, ${now})`.execute(database);
  await sql`INSERT INTO messages (id, workspace_id, thread_id, position, author_type, author_name, text, parts_json, metadata_json, created_at)
    VALUES ('m1', ${id}, 't1', 1, 'human', 'Ada', 'Which?', ${JSON.stringify([plan])}, '{}', ${now})`.execute(database);
  await sql`INSERT INTO tasks (id, workspace_id, thread_id, trigger_message_id, agent_id, agent_version, task_type, status, input_json, created_at)
    VALUES ('k1', ${id}, 't1', 'm1', 'a1', 1, 'message_response', 'queued', '{}', ${now})`.execute(database);
}

async function expectWhole(target: DatabaseTarget): Promise<void> {
  const database = await openDatabase(target);
  try {
    const done = await sql<{ name: string }>`SELECT name FROM kysely_migration ORDER BY name`.execute(database);
    expect(done.rows.map(({ name }) => name)).toEqual(names);
    expect(await database.selectFrom("messages").select(["id", "text"]).execute()).toEqual([
      { id: "m1", text: "Which?" },
    ]);
    // Columns that came later have the values that they would have had.
    const task = await database.selectFrom("tasks").selectAll().executeTakeFirstOrThrow();
    expect(task).toMatchObject({ id: "k1", status: "queued", is_open: 1, allowance_usd: null });
    expect(await database.selectFrom("bindings").selectAll().execute()).toEqual([]);
    expect(await database.selectFrom("attachments").selectAll().execute()).toEqual([
      { workspace_id: "w1", id: plan.id, name: "plan.txt", created_at: 1 },
    ]);
  } finally {
    await database.destroy();
  }
}

async function first(child: ChildProcess): Promise<string> {
  const [said] = (await once(child.stdout as NonNullable<ChildProcess["stdout"]>, "data")) as [Buffer];
  return said.toString().trim();
}

describeDatabases((newTarget) => {
  const earlier = names.slice(0, -1).map((name, index) => [name, index + 1] as const);

  /** Migrates a database of the first version to this one, step by step. */
  async function atVersion(count: number): Promise<DatabaseTarget> {
    const target = await newTarget();
    const oldest = await openDatabase(target, upTo(1));
    await fill(oldest);
    await oldest.destroy();
    for (let version = 2; version <= count; version++) await (await openDatabase(target, upTo(version))).destroy();
    return target;
  }

  test.each(earlier)(
    "a database of version %s becomes one of this version, by two programs at once",
    async (_, count) => {
      const target = await atVersion(count);
      const programs = [openElsewhere(target), openElsewhere(target)];
      expect(await Promise.all(programs.map((one) => once(one, "close")))).toEqual([
        [0, null],
        [0, null],
      ]);
      await expectWhole(target);
    },
  );

  test.each(names.slice(1))("a program killed in the middle of step %s leaves nothing half done", async (name) => {
    const target = await atVersion(1);
    const killed = openElsewhere(target, name);
    expect(await first(killed)).toBe(`at ${name}`);
    killed.kill("SIGKILL");
    await once(killed, "close");
    await expectWhole(target);
  });
});

test("the copy of a file that a killed program was making is made again, whole, and one of an earlier try is renewed", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "workspace-copy-")), "workspace.db");
  const [last = ""] = names.slice(-1);
  const oldest = await openDatabase({ file }, upTo(1));
  await fill(oldest);
  await sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)
    INSERT INTO users (id, name, created_at) SELECT 'u' || i, hex(randomblob(10000)), i FROM n`.execute(oldest);
  await oldest.destroy();
  await (await openDatabase({ file }, upTo(names.length - 1))).destroy();
  const copies = () => readdirSync(dirname(file)).filter((name) => name.startsWith(`${basename(file)}.before-${last}`));
  const killed = openElsewhere({ file });
  await askUntil(
    () => copies().length > 0,
    () => "a copy",
    patienceMs,
  );
  killed.kill("SIGKILL");
  await once(killed, "close");
  const late = await openDatabase({ file }, upTo(names.length - 1)).catch(() => null);
  await late?.insertInto("users").values({ id: "late", name: "Ada", created_at: 1 }).execute();
  await late?.destroy();
  await expectWhole({ file });
  expect(copies()).toEqual([`${basename(file)}.before-${last}`]);
  const copy = await openDatabase({ file: `${file}.before-${last}` }, upTo(names.length - 1));
  const count = await sql<{ count: number }>`SELECT count(*) AS count FROM users`.execute(copy);
  const isLate = await copy.selectFrom("users").select("id").where("id", "=", "late").execute();
  expect([count.rows[0]?.count, isLate]).toEqual([late ? 4001 : 4000, late ? [{ id: "late" }] : []]);
  await copy.destroy();
  rmSync(dirname(file), { recursive: true });
});
