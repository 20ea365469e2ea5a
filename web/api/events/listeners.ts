/** All who listen to events: how many there may be, and the feed that those of a workspace share. */
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { WorkspaceStore } from "../../../workspace/database/changes/store.ts";
import type { LiveFeed } from "../../../workspace/live/live-feed.ts";
import type { Actor } from "../../../workspace/people/access.ts";
import { RefusedForNow } from "../answers/problem.ts";
import type { ServerEvents } from "../table/operation.ts";
import { streamEvents } from "./event-stream.ts";
import { sendEvents } from "./send-events.ts";
import { WorkspaceFeed } from "./workspace-feed.ts";

export type ListenerLimits = {
  all: number;
  ofUser: number;
  /** Milliseconds for which one may not read what waits for it before it is closed. */
  unreadMs: number;
  /**
   * Milliseconds after which one who hears nothing is told again that the connection lives. Whether they may still
   * listen is looked up, too.
   */
  heartbeatMs: number;
};

/** Fewer than the connections that the server takes, so that others still get in. */
export const usualListenerLimits: ListenerLimits = { all: 192, ofUser: 96, unreadMs: 30_000, heartbeatMs: 15_000 };

/** Milliseconds after which a feed looks again for what other programs have stored. */
const lookMs = 1000;

type SharedFeed = { feed: WorkspaceFeed; listeners: number };

export type ListenersDeps = { store: WorkspaceStore; live: Pick<LiveFeed, "listen">; limits: ListenerLimits };

export class Listeners implements Disposable {
  readonly #deps: ListenersDeps;
  readonly #feeds = new Map<string, SharedFeed>();
  readonly #openOf = new Map<string, number>();
  readonly #hearing = new DisposableStack();
  readonly #closing = new AbortController();
  #open = 0;

  constructor(deps: ListenersDeps) {
    this.#deps = deps;
    this.#hearing.use(deps.store.changes.listen((id, last) => this.#feeds.get(id)?.feed.changed(last)));
    this.#hearing.use(deps.live.listen((id, piece) => this.#feeds.get(id)?.feed.send(piece)));
    const looking = setInterval(() => void this.#readLastEvents().catch(() => {}), lookMs);
    this.#hearing.defer(() => clearInterval(looking));
  }

  /**
   * Takes one who wants to listen to the actor's workspace. @throws RefusedForNow when too many do
   * @returns what answers with the events, until either side closes
   */
  async admit(
    headers: IncomingHttpHeaders,
    { userId, workspaceId }: Actor,
    isAllowed: () => Promise<boolean>,
  ): Promise<(response: ServerResponse) => Promise<void>> {
    const { store, limits } = this.#deps;
    const last = await store.changes.lastEvent(workspaceId);
    this.#requirePlace(userId);
    // From here on nothing is waited for until the feed is known: it hears of every change behind `last`.
    const shared = this.#feeds.get(workspaceId) ?? { feed: new WorkspaceFeed(store, workspaceId, last), listeners: 0 };
    this.#feeds.set(workspaceId, shared);
    this.#count(userId, 1);
    shared.listeners++;
    return async (response) => {
      const { unreadMs, heartbeatMs } = limits;
      const times = { unreadMs, heartbeatMs };
      const deps = { store, feed: shared.feed, workspaceId, isAllowed, ...times, signal: this.#closing.signal };
      try {
        await streamEvents(response, positionOf(headers["last-event-id"], last), deps);
      } finally {
        this.#count(userId, -1);
        shared.listeners--;
        if (shared.listeners === 0) this.#feeds.delete(workspaceId);
      }
    };
  }

  /**
   * Takes one who wants to listen to what isn't a workspace's. @throws RefusedForNow when too many do
   * @param gone aborted when they have gone, or may listen no longer: it ends the events
   * @returns what answers with the events, until either side closes
   */
  admitTo(
    events: ServerEvents,
    gone: AbortController,
    userId: string,
    isAllowed: () => Promise<boolean>,
  ): (response: ServerResponse) => Promise<void> {
    this.#requirePlace(userId);
    this.#count(userId, 1);
    return async (response) => {
      const { unreadMs, heartbeatMs } = this.#deps.limits;
      try {
        await sendEvents(response, events, { gone, isAllowed, unreadMs, heartbeatMs, signal: this.#closing.signal });
      } finally {
        this.#count(userId, -1);
      }
    };
  }

  /** Somebody's access has ended: whoever may listen no longer is closed. */
  check(): void {
    for (const { feed } of this.#feeds.values()) feed.check();
  }

  #requirePlace(userId: string): void {
    const { limits } = this.#deps;
    const ofUser = this.#openOf.get(userId) ?? 0;
    if (this.#open >= limits.all || ofUser >= limits.ofUser)
      throw new RefusedForNow("unavailable", `${this.#open} listen already, ${ofUser} of them as you`);
  }

  #count(userId: string, by: 1 | -1): void {
    this.#open += by;
    const ofUser = (this.#openOf.get(userId) ?? 0) + by;
    if (ofUser === 0) this.#openOf.delete(userId);
    else this.#openOf.set(userId, ofUser);
  }

  async #readLastEvents(): Promise<void> {
    for (const { feed } of this.#feeds.values()) await feed.readLastEvent();
  }

  [Symbol.dispose](): void {
    this.#hearing.dispose();
    this.#closing.abort();
  }
}

/** The number behind which one goes on. A number that isn't there yet is of a database that was lost. */
function positionOf(header: string | string[] | undefined, last: number): number {
  return typeof header === "string" && /^\d{1,15}$/.test(header) ? Math.min(Number(header), last) : last;
}
