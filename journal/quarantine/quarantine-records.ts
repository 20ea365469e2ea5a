/** Files of the quarantine: `.state/quarantine/<id>.json`, a record of an item that failed, and `<id>.item`, what was put away of it. */
import { createHash } from "node:crypto";
import { type Dirent, closeSync, constants, fstatSync, openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { state } from "../config/paths.ts";
import { parseOwnJson } from "../../protocol/json/parse-json.ts";

export const QuarantineRecord = z.object({
  /** Store and key of the item, as its reader names them. */
  store: z.string().max(64),
  key: z.string().max(512),
  failures: z.number().int().min(1),
  /** Reason of the last failure. */
  error: z.string().max(4096),
  /** First and last failure, in ms. */
  since: z.number().int(),
  last: z.number().int(),
  /** When the item was put away, in ms; null while it is still tried. */
  quarantined: z.number().int().nullable(),
  /** Where the item stands, or stood before it was moved here. */
  path: z.string().max(4096).optional(),
  /** The messages to agents that are in it, as the agents' events name them. */
  messages: z.array(z.string()).optional(),
  /** Size of the item in bytes, where it is known. */
  size: z.number().int().min(0).optional(),
});
export type QuarantineRecord = z.infer<typeof QuarantineRecord>;

/** A record longer than this was not written by us. */
const maxRecordBytes = 64 * 1024;

export const quarantineFolder = (journal: string) => state(journal, "quarantine");
export const recordFile = (journal: string, id: string) => join(quarantineFolder(journal), `${id}.json`);
export const itemFile = (journal: string, id: string) => join(quarantineFolder(journal), `${id}.item`);

/** Name of an item in the quarantine: its store, and a hash of its key. */
export function quarantineId(store: string, key: string): string {
  return `${store}-${createHash("sha256").update(key).digest("hex").slice(0, 16)}`;
}

/** Whether a text from outside can be the name of an item. */
export const isQuarantineId = (text: string) => /^[a-z][a-z0-9-]{0,63}-[0-9a-f]{16}$/.test(text);

/** Record of an item, or null where there is none that can be read. */
export function readRecord(journal: string, id: string): QuarantineRecord | null {
  try {
    const file = openSync(recordFile(journal, id), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(file);
      if (!stats.isFile() || stats.size > maxRecordBytes) return null;
      return QuarantineRecord.safeParse(parseOwnJson(readFileSync(file, "utf8"))).data ?? null;
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
}

/** Ids in the quarantine, those whose record is damaged included. */
export function quarantineIds(journal: string): string[] {
  const ids = new Set<string>();
  for (const { name } of entries(journal)) {
    const id = /^(.+)\.(?:json|item)$/.exec(name)?.[1];
    if (id !== undefined && isQuarantineId(id)) ids.add(id);
  }
  return [...ids].toSorted();
}

/** Temporary files that a killed writer left. */
export const quarantineLeftovers = (journal: string) =>
  entries(journal)
    .filter(({ name }) => name.endsWith(".tmp"))
    .map(({ name }) => join(quarantineFolder(journal), name));

function entries(journal: string): Dirent[] {
  try {
    return readdirSync(quarantineFolder(journal), { withFileTypes: true });
  } catch {
    return [];
  }
}
