/**
 * Which stored files nothing names any more. Whatever may name one is read whole, as bytes: runs, agents, memory, accepted work.
 * A thing is looked through before the one that its content moves on to, so that none is passed over on the way.
 */
import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as breath } from "node:timers/promises";
import { hasCode } from "../../files/errors/errno.ts";
import { filePieces } from "../../files/lines/file-lines.ts";
import { agentsFolder } from "../agents/agent-files.ts";
import { runtime, state } from "../config/paths.ts";
import { runFiles } from "../runs/list-runs.ts";
import { runFile } from "../runs/run-files.ts";

/**
 * Takes away from `ids` those that something names. Few of its pieces are in memory at a time, however much there is.
 * @param isGone runs that count as deleted
 * @throws Error when something can't be read: then nobody can know
 */
export async function dropNamed(
  journal: string,
  ids: Set<string>,
  isGone: (agentId: string) => boolean,
  signal?: AbortSignal,
): Promise<void> {
  for await (const path of whereNamed(journal, isGone)) {
    if (ids.size === 0) return;
    signal?.throwIfAborted();
    await dropNamedIn(path, ids);
  }
}

/** Requests and messages wait in `.state`, go to inboxes and runs, and from there to histories and archives. */
async function* whereNamed(journal: string, isGone: (agentId: string) => boolean): AsyncGenerator<string> {
  yield* filesBelow(state(journal));
  yield runtime(journal, "status.json");
  yield* filesBelow(runtime(journal, "runs"));
  const agents = await entriesOf(agentsFolder(journal));
  for (const { name } of agents) yield join(agentsFolder(journal), name, "inbox.jsonl");
  // An archive was a history before: a folder's own files come before its folders.
  for (const { name } of agents) yield* filesBelow(join(agentsFolder(journal), name), "work");
  yield* filesBelow(join(journal, "memory"));
  for (const { path, agentId } of runFiles(journal)) {
    if (isGone(agentId)) continue;
    yield path;
    // It may have ended or been compressed before it was read.
    const now = existsSync(path) ? null : runFile(journal, agentId);
    if (now !== null) yield now;
  }
}

async function* filesBelow(folder: string, except?: string): AsyncGenerator<string> {
  const entries = await entriesOf(folder);
  for (const entry of entries) if (entry.isFile()) yield join(folder, entry.name);
  for (const entry of entries)
    if (entry.isDirectory() && entry.name !== except) yield* filesBelow(join(folder, entry.name));
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  }
}

const idLength = 64;

async function dropNamedIn(path: string, ids: Set<string>): Promise<void> {
  let rest = "";
  try {
    if (!(await stat(path)).isFile()) return; // something else has the name of a run
    for await (const piece of filePieces(path)) {
      const text = rest + piece.toString("latin1");
      // What stands before an id may look like a part of it, such as the `b` of an escaped line break.
      for (const { 0: digits } of text.matchAll(/[0-9a-f]{64,}/g))
        for (let at = 0; at + idLength <= digits.length; at++) ids.delete(digits.slice(at, at + idLength));
      rest = text.slice(-(idLength - 1));
      await breath();
    }
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
  }
}
