/** How the running server of the bus keeps what it acknowledges, for commands that want to tell: `.run/bus-store.json`. */
import { z } from "zod";
import { readDocument } from "../../files/json-document.ts";
import { isRuntimeOwn } from "../config/folder-mark.ts";
import { runtime } from "../config/paths.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";

export const BusStore = z.looseObject({
  /** Of nats-server; null when it doesn't tell. */
  version: z.string().nullable(),
  /** What writes through to the disk: the server, the folder's attribute, or nobody. */
  synced_by: z.enum(["server", "folder", "nobody"]),
  /** Why nobody does although it is wanted. */
  problem: z.string().nullable(),
});
export type BusStore = z.infer<typeof BusStore>;

const storeFile = (journal: string) => runtime(journal, "bus-store.json");

export const writeBusStore = (journal: string, store: BusStore) =>
  replaceFile(storeFile(journal), JSON.stringify(store));

/** What was written down when the server was started, or when settings were read again; null: none was. */
export function readBusStore(journal: string): BusStore | null {
  return isRuntimeOwn(journal) ? readDocument(storeFile(journal), BusStore) : null;
}
