/**
 * A change of a workspace and the events that tell of it: one transaction. Events are numbered one after the other within a
 * workspace, in the order in which they are committed, so that whoever has heard of one has heard of all before it.
 */
import type { Transaction } from "kysely";
import type { Persona } from "../../../protocol/settings/persona.ts";
import type { LiveEvents, WorkspaceEvent } from "../../records/events.ts";
import type { Database } from "../connection/open-database.ts";
import type { Tables } from "../tables/tables.ts";

export type WorkspaceChange = {
  tables: Transaction<Tables>;
  /** One moment for all of it, in ms. */
  now: number;
  /** Adds an event, and returns its number. */
  tell: <Name extends keyof LiveEvents>(event: Name, data: LiveEvents[Name]) => Promise<number>;
  /** The persona file of a name, where there is one that can be used. */
  personaOf: PersonaOf;
};

export type PersonaOf = (name: string) => Pick<Persona, "instruction" | "settings"> | undefined;

/** Hears of each change that this process makes, with the number of the workspace's last event then. */
export type ChangeListener = (workspaceId: string, lastEvent: number) => void;

export class Changes {
  readonly #database: Database;
  readonly #listeners = new Set<ChangeListener>();
  readonly #clock: () => number;
  readonly #personaOf: PersonaOf;

  constructor(database: Database, personaOf: PersonaOf, clock: () => number = Date.now) {
    this.#database = database;
    this.#personaOf = personaOf;
    this.#clock = clock;
  }

  /** All of it is stored and told of, or none. Changes of one workspace wait for each other, in any process. */
  async make<T>(workspaceId: string, work: (change: WorkspaceChange) => Promise<T>): Promise<T> {
    const { made, lastEvent, hasTold } = await this.#database.transaction().execute(async (tables) => {
      // Held until the end: an event with a lower number can't be committed after one with a higher.
      const row = await tables
        .updateTable("workspaces")
        .set(({ eb }) => ({ last_event: eb("last_event", "+", 0) }))
        .where("id", "=", workspaceId)
        .returning("last_event")
        .executeTakeFirstOrThrow();
      let number = row.last_event;
      const now = this.#clock();
      const tell: WorkspaceChange["tell"] = async (event, data) => {
        number++;
        const data_json = JSON.stringify(data);
        await tables
          .insertInto("events")
          .values({ workspace_id: workspaceId, number, event, data_json, created_at: now })
          .execute();
        return number;
      };
      const made = await work({ tables, now, tell, personaOf: this.#personaOf });
      const hasTold = number > row.last_event;
      if (hasTold)
        await tables.updateTable("workspaces").set({ last_event: number }).where("id", "=", workspaceId).execute();
      return { made, lastEvent: number, hasTold };
    });
    if (hasTold) for (const listener of this.#listeners) listener(workspaceId, lastEvent);
    return made;
  }

  /** Calls it after each change that this process makes and tells of. */
  listen(listener: ChangeListener): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** The number of the last event of a workspace. */
  async lastEvent(workspaceId: string): Promise<number> {
    const row = await this.#database
      .selectFrom("workspaces")
      .select("last_event")
      .where("id", "=", workspaceId)
      .executeTakeFirst();
    return row?.last_event ?? 0;
  }

  /** The number of the last event that isn't kept any more; 0 where all are. */
  async droppedUpTo(workspaceId: string): Promise<number> {
    const last = await this.lastEvent(workspaceId);
    const oldest = await this.#database
      .selectFrom("events")
      .select("number")
      .where("workspace_id", "=", workspaceId)
      .orderBy("number")
      .limit(1)
      .executeTakeFirst();
    return oldest ? oldest.number - 1 : last;
  }

  /** The events of a workspace after a number, oldest first. */
  async eventsAfter(workspaceId: string, number: number, limit: number): Promise<WorkspaceEvent[]> {
    const rows = await this.#database
      .selectFrom("events")
      .select(["number", "event", "data_json"])
      .where("workspace_id", "=", workspaceId)
      .where("number", ">", number)
      .orderBy("number")
      .limit(limit)
      .execute();
    return rows.map(
      ({ number: id, event, data_json }) => ({ id, event, data: JSON.parse(data_json) }) as WorkspaceEvent,
    );
  }
}
