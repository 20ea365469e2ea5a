/**
 * Makes what was written last, off the event loop. Those that somebody waits for come first; the rest follows in groups.
 * What is asked for while it waits for its turn is done once.
 */
import { closeSync, fdatasync, fsync, openSync } from "node:fs";
import { promisify } from "node:util";

const syncData = promisify(fdatasync);
const syncAll = promisify(fsync);

/** Milliseconds for which written bytes may wait for the disk where nobody waits for them. */
const groupMs = 50;
/** The system has few threads for files: half of them stay free for reading. */
const atOnce = 2;

/** A file or a folder that can be made to last. The same object means the same thing. */
export type Syncable = { sync: () => Promise<void> };

type Waiter = { resolve: () => void; reject: (error: unknown) => void };

export class GroupCommit {
  /** The objects that somebody waits for, in the order in which they were asked for. */
  readonly #awaited = new Map<Syncable, Waiter[]>();
  /** The objects that nobody waits for: of the next group, and of the one whose time has come. */
  readonly #written = new Set<Syncable>();
  readonly #due = new Set<Syncable>();
  readonly #busy = new Set<Syncable>();
  /** The failures while nobody waited: the next who waits is told. */
  readonly #failures = new WeakMap<Syncable, unknown>();
  #timer: NodeJS.Timeout | undefined;

  /** Makes it last, within a while. */
  soon(what: Syncable): void {
    if (this.#awaited.has(what)) return;
    this.#written.add(what);
    if (this.#timer) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      for (const written of this.#written) this.#due.add(written);
      this.#written.clear();
      this.#pump();
    }, groupMs);
  }

  /** Makes it last, now. Resolves when it does. */
  lasting(what: Syncable): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiters = this.#awaited.get(what) ?? [];
      waiters.push({ resolve, reject });
      this.#awaited.set(what, waiters);
      this.#pump();
    });
  }

  /** Whether something of it may not have reached the disk. */
  isPending(what: Syncable): boolean {
    return [this.#written, this.#due, this.#awaited, this.#busy, this.#failures].some((some) => some.has(what));
  }

  #pump(): void {
    while (this.#busy.size < atOnce) {
      const next = this.#next();
      if (!next) break;
      void this.#sync(next);
    }
  }

  #next(): Syncable | undefined {
    // One that is under way began before the last bytes were written: it has to be done again.
    const free = (what: Syncable) => !this.#busy.has(what);
    return this.#awaited.keys().find(free) ?? this.#due.keys().find(free);
  }

  async #sync(what: Syncable): Promise<void> {
    const waiters = this.#awaited.get(what) ?? [];
    for (const asked of [this.#awaited, this.#written, this.#due]) asked.delete(what);
    this.#busy.add(what);
    try {
      await what.sync();
      if (this.#failures.has(what) && waiters.length > 0) throw this.#failures.get(what);
      for (const { resolve } of waiters) resolve();
    } catch (error) {
      // After a failure the system may call the same bytes clean: asking again proves nothing.
      this.#failures.set(what, error);
      for (const { reject } of waiters) reject(error);
    } finally {
      this.#busy.delete(what);
      this.#pump();
    }
  }
}

/** The group commit of this process. */
export const commits = new GroupCommit();

/** An open file. */
export const syncableFile = (file: number): Syncable => ({ sync: () => syncData(file) });

const folders = new Map<string, Syncable>();

/** A folder: that its new and removed names last. */
export function syncableFolder(path: string): Syncable {
  const known = folders.get(path);
  if (known) return known;
  // There is one a day: the map stays small.
  const folder = syncablePath(path);
  folders.set(path, folder);
  return folder;
}

/** A file or folder that nobody keeps open. */
export const syncablePath = (path: string): Syncable => ({ sync: () => syncPath(path) });

async function syncPath(path: string): Promise<void> {
  const handle = openSync(path, "r");
  try {
    await syncAll(handle);
  } finally {
    closeSync(handle);
  }
}
