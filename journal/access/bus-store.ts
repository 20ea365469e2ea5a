/** How the running server of the bus keeps what it acknowledges, for commands that want to tell: `.run/bus-store.json`. */
import { z } from "zod";
import { readDocument } from "../../files/json-document.ts";
import { isRuntimeOwn } from "../config/folder-mark.ts";
import { runtime } from "../config/paths.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";

export const BusStore = z.looseObject({
  /** The version of nats-server; null when it doesn't tell. */
  version: z.string().nullable(),
  /** The way in which writes get through to the disk: by the server, by the folder's attribute, or not at all. */
  synced_by: z.enum(["server", "folder", "nobody"]),
  /** Why nobody does although it is wanted. */
  problem: z.string().nullable(),
});
export type BusStore = z.infer<typeof BusStore>;

const storeFile = (journal: string) => runtime(journal, "bus-store.json");

export const writeBusStore = (journal: string, store: BusStore) =>
  replaceFile(storeFile(journal), JSON.stringify(store));

/** Reads the note that was made when the server was started, or when settings were read again; null: there is none. */
export function readBusStore(journal: string): BusStore | null {
  return isRuntimeOwn(journal) ? readDocument(storeFile(journal), BusStore) : null;
}
