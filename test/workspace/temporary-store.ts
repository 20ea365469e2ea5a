/** A database of workspaces for a test, of each kind that there is. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, afterEach, beforeEach, describe } from "vitest";
import type { PersonaOf } from "../../workspace/database/changes/change.ts";
import type { DatabaseTarget } from "../../workspace/database/connection/open-database.ts";
import { openWorkspaceStore, type WorkspaceStore } from "../../workspace/database/changes/store.ts";
import { type Actor, memberOf } from "../../workspace/people/access.ts";
import { createUser, inviteMember } from "../../workspace/people/members.ts";
import { createWorkspace } from "../../workspace/workspaces.ts";
import type { Role } from "../../workspace/records/people.ts";
import { hasPostgres, type PostgresServer, workerPostgres } from "../support/postgres.ts";

/** Tests of one kind of database. `newTarget` gives one without rows, whose tables may be there already. */
export type DatabaseTests = (newTarget: () => Promise<DatabaseTarget>) => void;

/** Runs the tests with SQLite, and with PostgreSQL where it is installed. */
export function describeDatabases(tests: DatabaseTests): void {
  describeSqlite(tests);
  describePostgres(tests);
}

/** The same with databases that have no tables yet, for tests of how these are made. */
export function describeNewDatabases(tests: DatabaseTests): void {
  describeSqlite(tests);
  describePostgres(tests, { areNew: true });
}

export function describeSqlite(tests: DatabaseTests): void {
  describe("SQLite", () => {
    const folder = mkdtempSync(join(tmpdir(), "workspace-"));
    let made = 0;
    afterAll(() => rmSync(folder, { recursive: true, force: true }));
    tests(async () => ({ file: join(folder, `${made++}.db`) }));
  });
}

export function describePostgres(tests: DatabaseTests, { areNew = false } = {}): void {
  describe.skipIf(!hasPostgres)("PostgreSQL", () => {
    const ofFile: string[] = [];
    const ofTest: string[] = [];
    let isTest = false;
    const release = async (urls: string[]) => {
      for (const url of urls.splice(0))
        await (areNew ? (await workerPostgres()).dropDatabase(url) : released.push(url));
    };
    beforeEach(() => {
      isTest = true;
    });
    afterEach(async () => {
      isTest = false;
      await release(ofTest);
    });
    afterAll(() => release(ofFile));
    tests(async () => {
      const server = await workerPostgres();
      const url = (areNew ? null : await releasedDatabase(server)) ?? (await server.newDatabase());
      (isTest ? ofTest : ofFile).push(url);
      return { url };
    });
  });
}

/** Databases of this worker's server that a test is done with. To empty one takes a fraction of what its tables take to be made. */
const released: string[] = [];

/** One of these without its rows, if there is any. */
async function releasedDatabase(server: PostgresServer): Promise<string | null> {
  for (let url = released.pop(); url !== undefined; url = released.pop()) {
    if (await isEmptied(url)) return url;
    await server.dropDatabase(url);
  }
  return null;
}

/** Removes all rows, unless somebody is still connected. */
async function isEmptied(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query(
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()",
    );
    if (rowCount !== 0) return false;
    await client.query(deleteRows);
    return true;
  } finally {
    await client.end();
  }
}

/** In any order: as a replica does, foreign keys aside. The steps that the tables have taken stay. */
const deleteRows = `DO $$ DECLARE one text; BEGIN
  SET LOCAL session_replication_role = replica;
  FOR one IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE 'kysely%' LOOP
    EXECUTE format('DELETE FROM %I', one);
  END LOOP;
END $$`;

export type Team = { store: WorkspaceStore; workspaceId: string; admin: Actor } & AsyncDisposable & {
    invite: (name: string, role?: Role) => Promise<Actor>;
  };

/** A workspace with an admin called Ada. */
export async function newTeam(target: DatabaseTarget, personaOf?: PersonaOf): Promise<Team> {
  const store = await openWorkspaceStore(target, personaOf);
  const { user } = await createUser(store, "Ada");
  const { id: workspaceId } = await createWorkspace(store, "Garden", user.id);
  const admin = await memberOf(store, workspaceId, user.id);
  return {
    store,
    workspaceId,
    admin,
    invite: async (name, role = "member") => {
      const { user: invited } = await inviteMember(store, { name, role }, admin);
      return memberOf(store, workspaceId, invited.id);
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}
