/** A database of workspaces for a test, of each kind that there is. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import type { PersonaOf } from "../../workspace/database/changes/change.ts";
import type { DatabaseTarget } from "../../workspace/database/connection/open-database.ts";
import { openWorkspaceStore, type WorkspaceStore } from "../../workspace/database/changes/store.ts";
import { type Actor, memberOf } from "../../workspace/people/access.ts";
import { createUser, inviteMember } from "../../workspace/people/members.ts";
import { createWorkspace } from "../../workspace/workspaces.ts";
import type { Role } from "../../workspace/records/people.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../support/postgres.ts";

/** Runs the tests with SQLite, and with PostgreSQL where it is installed. `newTarget` gives an empty database. */
export function describeDatabases(tests: (newTarget: () => Promise<DatabaseTarget>) => void): void {
  describe("SQLite", () => {
    const folder = mkdtempSync(join(tmpdir(), "workspace-"));
    let made = 0;
    afterAll(() => rmSync(folder, { recursive: true, force: true }));
    tests(async () => ({ file: join(folder, `${made++}.db`) }));
  });
  describe.skipIf(!hasPostgres)("PostgreSQL", () => {
    let server: PostgresServer;
    beforeAll(async () => {
      server = await startPostgres();
    });
    afterAll(() => server[Symbol.asyncDispose]());
    tests(async () => ({ url: await server.newDatabase() }));
  });
}

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
