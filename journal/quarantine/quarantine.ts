/**
 * Quarantine of poisoned items: a stream's message, an inbox's line, a state.json, a run's file on which its reader fails.
 * The third failure puts the item away with its reason, so that it is never met again at each start.
 */
import { existsSync, lstatSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { isRealFolder } from "../../files/folder-entries.ts";
import { messageOf } from "../../files/errors/error-message.ts";
import {
  isQuarantineId,
  itemFile,
  quarantineFolder,
  quarantineId,
  quarantineIds,
  quarantineLeftovers,
  type QuarantineRecord,
  readRecord,
  recordFile,
} from "./quarantine-records.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";

/** Failures after which an item is put away. */
export const maxFailures = 3;

/** Bounds of the folder. Copies of the oldest items give way first; files that were moved here are the user's, and stay. */
export const quarantineBounds = { records: 2_000, copyBytes: 64 * 1024 * 1024, oneCopyBytes: 1024 * 1024 };

const maxErrorLength = 4_000;
/** Messages of an item that its record names: a record stays small. */
const maxMessages = 200;

/**
 * The item that is put away: `bytes` are copied, and may hold messages to agents; a file is moved, or stays where it is and is passed
 * over.
 */
export type PoisonedItem =
  | { bytes: string | Uint8Array; messages?: readonly string[] }
  | { moveFile: string }
  | { leaveFile: string };

export type FailureVerdict = "retry" | "quarantined";

/** Failures of the items of one store, kept over restarts. Each store has one program that counts. */
export class Quarantine {
  readonly #journal: string;
  readonly #store: string;
  /** Ids that have failed before, each with the failures that a full disk kept from being written. */
  #unwritten: Map<string, number>;

  /** @param store a word: `inbox`, `run-file`. Another program's store is named otherwise. */
  constructor(journal: string, store: string) {
    this.#journal = journal;
    this.#store = store;
    this.#unwritten = this.#onDisk();
  }

  /** Whether an item was put away: its reader passes it over. Asks the disk only for items that have failed before. */
  has(key: string): boolean {
    const id = quarantineId(this.#store, key);
    if (!this.#unwritten.has(id)) return false;
    const record = readRecord(this.#journal, id);
    return record !== null && record.quarantined !== null;
  }

  /**
   * Counts a failure. At the third the item is put away, and stays where it was as long as that can't be written.
   * Where an item may kill its reader (memory, a loop), it is called before the try, and `succeeded` after it.
   */
  async failed(key: string, error: unknown, item: PoisonedItem): Promise<FailureVerdict> {
    const id = quarantineId(this.#store, key);
    const before = readRecord(this.#journal, id);
    if (before && before.quarantined !== null) return "quarantined";
    const failures = Math.max(before?.failures ?? 0, this.#unwritten.get(id) ?? 0) + 1;
    this.#remember(id, failures);
    const now = Date.now();
    const isPoisoned = failures >= maxFailures;
    const path = "bytes" in item ? undefined : "moveFile" in item ? item.moveFile : item.leaveFile;
    const record: QuarantineRecord = {
      store: this.#store,
      key: key.slice(0, 512),
      failures,
      error: messageOf(error).slice(0, maxErrorLength),
      since: before?.since ?? now,
      last: now,
      quarantined: isPoisoned ? now : null,
      ...(path === undefined ? {} : { path: path.slice(0, 4096) }),
      ...("bytes" in item && item.messages && { messages: item.messages.slice(0, maxMessages) }),
      ...sizeOf(item),
    };
    try {
      if (isPoisoned && "bytes" in item) await write(this.#journal, itemFile(this.#journal, id), copied(item.bytes));
      await write(this.#journal, recordFile(this.#journal, id), `${JSON.stringify(record)}\n`);
      // After the record: killed in between, the item is passed over where it stands.
      if (isPoisoned && "moveFile" in item) moveHere(this.#journal, id, item.moveFile);
      this.#remember(id, 0);
      if (before === null || isPoisoned) makeRoom(this.#journal, id);
    } catch {
      return "retry";
    }
    return isPoisoned ? "quarantined" : "retry";
  }

  /** Forgets the failures of an item that went well after all. */
  succeeded(key: string): void {
    const id = quarantineId(this.#store, key);
    if (this.#unwritten.delete(id)) remove(recordFile(this.#journal, id));
  }

  #remember(id: string, failures: number): void {
    if (this.#unwritten.size > 2 * quarantineBounds.records) this.#unwritten = this.#onDisk();
    this.#unwritten.set(id, failures);
  }

  #onDisk(): Map<string, number> {
    const ids = quarantineIds(this.#journal).filter((id) => id.startsWith(`${this.#store}-`));
    return new Map(ids.map((id) => [id, 0]));
  }
}

/** An item that was put away. `record` is null where that is damaged; `item` is the file that holds it, here or where it stood. */
export type Quarantined = { id: string; record: QuarantineRecord | null; item: string | null };

/** Items that were put away, oldest first. */
export function listQuarantine(journal: string): Quarantined[] {
  const items = quarantineIds(journal).map((id) => quarantinedItem(journal, id));
  return items
    .filter(({ record }) => record === null || record.quarantined !== null)
    .toSorted((a, b) => (a.record?.last ?? 0) - (b.record?.last ?? 0));
}

/** An item by its id, or null. */
export function findQuarantined(journal: string, id: string): Quarantined | null {
  if (!isQuarantineId(id)) return null;
  return listQuarantine(journal).find((one) => one.id === id) ?? null;
}

/**
 * Has an item tried anew: its failures are forgotten, and a file that was moved here goes back to its place.
 * @throws Error when something else stands there by now
 */
export function releaseQuarantined(journal: string, { id, record, item }: Quarantined): void {
  const place = record?.path;
  if (place !== undefined && item === itemFile(journal, id)) {
    if (existsSync(place)) throw new Error(`${place} is there again: what was put away is ${item}`);
    mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
    renameSync(item, place);
  }
  remove(recordFile(journal, id));
}

/** Forgets an item for good, with what was kept of it here. One that stands at its own place stays there. */
export function dropQuarantined(journal: string, { id }: Quarantined): void {
  remove(itemFile(journal, id));
  remove(recordFile(journal, id));
}

function quarantinedItem(journal: string, id: string): Quarantined {
  const record = readRecord(journal, id);
  const places = [itemFile(journal, id), record?.path];
  return { id, record, item: places.find((path) => path !== undefined && existsSync(path)) ?? null };
}

/** Whether an item in quarantine is a copy of ours, which may give way, and no file of the user's. */
const isCopy = (one: Quarantined) => one.record !== null && one.record.path === undefined;

/** Lets the oldest give way, never the one just written. */
function makeRoom(journal: string, justWritten: string): void {
  for (const path of quarantineLeftovers(journal)) {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats && Date.now() - stats.mtimeMs > 3_600_000) remove(path);
  }
  const all = quarantineIds(journal)
    .filter((id) => id !== justWritten)
    .map((id) => quarantinedItem(journal, id))
    .toSorted((a, b) => (b.record?.last ?? 0) - (a.record?.last ?? 0));
  let records = 1;
  let bytes = quarantineBounds.oneCopyBytes;
  for (const one of all) {
    const kept = itemFile(journal, one.id);
    const size = isCopy(one) ? (statSync(kept, { throwIfNoEntry: false })?.size ?? 0) : 0;
    records++;
    bytes += size;
    if (size > 0 && bytes > quarantineBounds.copyBytes) remove(kept);
    const isMoved = existsSync(kept) && !isCopy(one);
    if (records <= quarantineBounds.records || isMoved) continue;
    remove(kept);
    remove(recordFile(journal, one.id));
  }
}

/** Writes a file of the quarantine, whatever stands in its place. */
async function write(journal: string, path: string, content: string | Uint8Array): Promise<void> {
  const folder = quarantineFolder(journal);
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === false)
    renameSync(folder, `${folder}-damaged-${Date.now()}`);
  if (isRealFolder(path)) remove(path);
  await replaceFile(path, content);
}

function moveHere(journal: string, id: string, path: string): void {
  const kept = itemFile(journal, id);
  if (!existsSync(path) || existsSync(kept)) return;
  try {
    renameSync(path, kept);
  } catch {
    // On another disk, or in a folder that can't be written: it stays there, and is passed over.
  }
}

function copied(bytes: string | Uint8Array): Uint8Array {
  return Buffer.from(bytes as Uint8Array).subarray(0, quarantineBounds.oneCopyBytes);
}

function sizeOf(item: PoisonedItem): { size?: number } {
  if ("bytes" in item) return { size: Buffer.byteLength(item.bytes) };
  const stats = statSync("moveFile" in item ? item.moveFile : item.leaveFile, { throwIfNoEntry: false });
  return stats ? { size: stats.size } : {};
}

function remove(path: string): void {
  rmSync(path, { recursive: true, force: true });
}
