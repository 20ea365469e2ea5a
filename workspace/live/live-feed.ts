/** The feed of what isn't stored, for whoever listens in this process. Whoever comes later has missed it. */
import type { LivePiece } from "../records/live-pieces.ts";

export type LiveListener = (workspaceId: string, piece: LivePiece) => void;

export class LiveFeed {
  readonly #listeners = new Set<LiveListener>();

  send(workspaceId: string, piece: LivePiece): void {
    for (const listener of this.#listeners) listener(workspaceId, piece);
  }

  listen(listener: LiveListener): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }
}
