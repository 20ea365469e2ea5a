/** Several changes as one: a store on which whatever is made is stored together, or not at all. */
import type { Transaction } from "kysely";
import type { WorkspaceChange } from "./change.ts";
import type { Database } from "../connection/open-database.ts";
import type { WorkspaceStore } from "./store.ts";
import type { Tables } from "../tables/tables.ts";

/** Runs work in the transaction that a store stands in already, or in a new one. */
export function inTransaction<T>(database: Database, work: (tables: Transaction<Tables>) => Promise<T>): Promise<T> {
  return database.isTransaction ? work(database as Transaction<Tables>) : database.transaction().execute(work);
}

/** Runs work on a store whose changes are one change of this workspace, told of when it is committed. */
export function inOneChange<T>(
  store: WorkspaceStore,
  workspaceId: string,
  work: (store: WorkspaceStore) => Promise<T>,
): Promise<T> {
  return store.changes.make(workspaceId, (change) => work(storeWithin(store, workspaceId, change)));
}

function storeWithin({ changes }: WorkspaceStore, workspaceId: string, change: WorkspaceChange): WorkspaceStore {
  return {
    database: change.tables,
    changes: {
      make: (id, work) => {
        if (id !== workspaceId) throw new Error(`a change of ${workspaceId} can't change ${id}`);
        return work(change);
      },
      listen: (listener) => changes.listen(listener),
      lastEvent: (id) => changes.lastEvent(id),
      droppedUpTo: (id) => changes.droppedUpTo(id),
      eventsAfter: (id, number, limit) => changes.eventsAfter(id, number, limit),
    },
    [Symbol.asyncDispose]: async () => {},
  };
}
