/**
 * The holder of the bus's store. Two nats-servers on one store both start, and ruin it; and a store may be reached from
 * more than one journal, by a link or after a move. So this stands in the store itself, wherever that is.
 */
import { mkdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { readDocument } from "../../files/json-document.ts";
import { state } from "../config/paths.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";

export const StoreHolder = z.looseObject({
  /** The mark in the server's environment, written before there is a server. */
  nonce: z.string().min(1),
  identity: z.object({ pid: z.number().int().positive(), boot: z.string(), start: z.string() }).nullable(),
  /** The device and inode of the store: in a copy of it stands who has the original open. */
  store: z.string().optional(),
});
export type StoreHolder = z.infer<typeof StoreHolder>;

/** The folder of the bus's store, made if it isn't there, and where it really is. */
export function storeFolder(journal: string): string {
  const folder = state(journal, "jetstream");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return realpathSync(folder);
}

/**
 * Where the server keeps a stream.
 * @param account the server's own word for who has it
 */
export const streamFolder = (journal: string, account: string, stream: string) =>
  join(storeFolder(journal), "jetstream", account, "streams", stream);

const holderFile = (journal: string) => join(storeFolder(journal), "holder.json");

export const writeStoreHolder = (journal: string, holder: StoreHolder) =>
  replaceFile(holderFile(journal), JSON.stringify({ ...holder, store: numbersOf(storeFolder(journal)) }));

/** The last server that was started on the store, or null. */
export function readStoreHolder(journal: string): StoreHolder | null {
  try {
    const holder = readDocument(holderFile(journal), StoreHolder);
    const isOfThis = holder?.store === undefined || holder.store === numbersOf(storeFolder(journal));
    return isOfThis ? holder : null;
  } catch {
    return null; // the store itself can't be reached
  }
}

function numbersOf(folder: string): string {
  const { dev, ino } = statSync(folder, { bigint: true });
  return `${dev}:${ino}`;
}
