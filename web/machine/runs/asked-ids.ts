/**
 * Ids of runs that requests with a key ask for, `.state/asked/<name>.json`: kept before the request is sent, so that one that is
 * sent again after a crash asks for the same run, which cortex begins once.
 */
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { readDocument } from "../../../files/json-document.ts";
import { state } from "../../../journal/config/paths.ts";

/** Longer than answers are kept by their keys, in ms. */
const keptMs = 2 * 86_400_000;

const KeptId = z.object({ ts: z.int().positive() });

const folder = (journal: string) => state(journal, "asked");
const fileOf = (journal: string, name: string) => join(folder(journal), `${z.hash("sha256").parse(name)}.json`);

/** The id that a request was given before; null: none yet. */
export const keptId = (journal: string, name: string): number | null =>
  readDocument(fileOf(journal, name), KeptId)?.ts ?? null;

/** Keeps an id, so that it lasts. At once: of two of the same name that come together both find the first one's. */
export function keepId(journal: string, name: string, ts: number): void {
  mkdirSync(folder(journal), { recursive: true, mode: 0o700 });
  const path = fileOf(journal, name);
  writeFileSync(`${path}.tmp`, JSON.stringify({ ts }), { mode: 0o600, flush: true });
  renameSync(`${path}.tmp`, path);
  dropOld(journal);
}

function dropOld(journal: string): void {
  for (const name of readdirSync(folder(journal))) {
    const path = join(folder(journal), name);
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Number.POSITIVE_INFINITY };
    if (Date.now() - mtimeMs > keptMs) rmSync(path, { force: true });
  }
}
