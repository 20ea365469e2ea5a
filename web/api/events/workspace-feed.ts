/**
 * Feed of a workspace: reads each stored event once, for all who listen, and puts what isn't stored between them where it
 * happened. Those who listen are handed text; none of them is waited for.
 */
import type { WorkspaceStore } from "../../../workspace/database/changes/store.ts";
import type { WorkspaceEvent } from "../../../workspace/records/events.ts";
import type { LivePiece } from "../../../workspace/records/live-pieces.ts";

/** Events that are read at once. */
export const pageSize = 200;

export type FeedListener = {
  /** The number of the last event that it was handed. */
  readonly position: number;
  /** Takes what goes over the wire; `number` is that of a stored event. */
  takeFrame: (frame: string, number: number | null) => void;
  /** Somebody's access has ended: it may be this one's. */
  check: () => void;
  /** The feed can't go on. */
  end: () => void;
};

type Item = { piece: LivePiece } | { upTo: number };

export class WorkspaceFeed {
  readonly #store: Pick<WorkspaceStore, "changes">;
  readonly #workspaceId: string;
  readonly #listeners = new Set<FeedListener>();
  /** Changes and pieces in the order in which they happened. */
  #items: Item[] = [];
  #isHandingOut = false;
  /** Events that were read and belong behind an item that is still to come. */
  #ahead: WorkspaceEvent[] = [];
  /** The number of the last event that was handed out. */
  #position: number;
  /** The number of the last event that it has heard of. */
  #last: number;

  /** @param last the number of the last event so far */
  constructor(store: Pick<WorkspaceStore, "changes">, workspaceId: string, last: number) {
    this.#store = store;
    this.#workspaceId = workspaceId;
    this.#position = last;
    this.#last = last;
  }

  /** Hands it everything behind its position from now on. @returns false when it has missed something, and isn't taken */
  join(listener: FeedListener): boolean {
    if (listener.position < this.#position) return false;
    this.#listeners.add(listener);
    return true;
  }

  leave(listener: FeedListener): void {
    this.#listeners.delete(listener);
  }

  send(piece: LivePiece): void {
    this.#add({ piece });
  }

  /** A change was stored. `last`: the number of the last event since. */
  changed(last: number): void {
    if (last <= this.#last) return;
    this.#last = last;
    this.#add({ upTo: last });
  }

  /** Has each who listens looked up whether they still may. */
  check(): void {
    for (const { check } of this.#listeners) check();
  }

  /** Looks for what another program has stored. */
  async readLastEvent(): Promise<void> {
    this.changed(await this.#store.changes.lastEvent(this.#workspaceId));
  }

  #add(item: Item): void {
    this.#items.push(item);
    if (!this.#isHandingOut) void this.#handOut();
  }

  async #handOut(): Promise<void> {
    this.#isHandingOut = true;
    try {
      for (let item = this.#items.shift(); item; item = this.#items.shift()) {
        if ("piece" in item) this.#handTo(frameOf(item.piece), null);
        else await this.#handOutUpTo(item.upTo);
      }
    } catch {
      // The database is away: those who listen come back, and read from where they were.
      [this.#items, this.#ahead] = [[], []];
      this.#last = this.#position;
      for (const { end } of this.#listeners) end();
    } finally {
      this.#isHandingOut = false;
    }
  }

  async #handOutUpTo(number: number): Promise<void> {
    while (this.#position < number) {
      if (this.#ahead.length === 0)
        this.#ahead = await this.#store.changes.eventsAfter(this.#workspaceId, this.#position, pageSize);
      if (this.#ahead.length === 0) return;
      const here = this.#ahead.filter(({ id }) => id <= number);
      this.#ahead = this.#ahead.slice(here.length);
      for (const event of here) {
        this.#position = event.id;
        this.#handTo(frameOf(event), event.id);
      }
    }
  }

  #handTo(frame: string, number: number | null): void {
    for (const listener of this.#listeners)
      if (number === null || number > listener.position) listener.takeFrame(frame, number);
  }
}

/** Told to one who comes back too late: what happened up to a number isn't kept any more. */
export const droppedFrame = (number: number) =>
  `id: ${number}\nevent: events.dropped\ndata: ${JSON.stringify({ up_to: number })}\n\n`;

/** As it goes over the wire. What isn't stored has no id. */
export function frameOf(event: WorkspaceEvent | LivePiece): string {
  const id = "id" in event ? `id: ${event.id}\n` : "";
  return `${id}event: ${event.event}\ndata: ${JSON.stringify(event.data)}\n\n`;
}
