/** The base of a workspace's rules: its database, and changes of it. */
import { v7 } from "uuid";
import { Changes, type PersonaOf } from "./change.ts";
import { type Database, type DatabaseTarget, openDatabase } from "../connection/open-database.ts";

export type WorkspaceStore = { database: Database; changes: Pick<Changes, keyof Changes> } & AsyncDisposable;

/**
 * @param personaOf persona files, which may be mentioned where a workspace allows it. Absent: there are none
 * @throws Error when its tables can't be brought up to date
 */
export async function openWorkspaceStore(
  target: DatabaseTarget,
  personaOf: PersonaOf = () => undefined,
): Promise<WorkspaceStore> {
  const database = await openDatabase(target);
  return { database, changes: new Changes(database, personaOf), [Symbol.asyncDispose]: () => database.destroy() };
}

/** Newer ones sort behind older ones, also within a millisecond of one process. */
export const newId = () => v7();
