/**
 * Heads of ended runs, `.state/heads.jsonl`: for each run how many lines its file has and the hash of the last, so that a
 * file that is cut, emptied or gone shows. Each line carries the hash of the one before, over all days.
 */
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import { z } from "zod";
import { whileLocked } from "../../files/locks/file-lock.ts";
import { AgentId } from "../../protocol/names/names.ts";
import { commits, type Syncable, syncablePath } from "../../files/writing/group-commit.ts";
import { lineHash } from "./hash-chain.ts";
import { makePrivateFolders, runtime, state } from "../config/paths.ts";
import { parseOwnJson } from "../../protocol/json/parse-json.ts";

export const headsFile = (journal: string) => state(journal, "heads.jsonl");

/** The end of a run's file: how many lines, and the hash of the last. */
export const RunEnd = z.object({ lines: z.number().int().positive(), head: z.string().regex(/^[0-9a-f]{32}$/) });
export type RunEnd = z.infer<typeof RunEnd>;

/** Why an ended run has no file any more: its retention is over, or another worker has taken it over. */
const Removal = z.object({ removed: z.enum(["retention", "set_aside"]) });
type Removal = z.infer<typeof Removal>;

const Place = z.object({
  /** Which line of the file it is, from 1. */
  n: z.number().int().positive(),
  ts: z.number().int(),
  agent_id: AgentId,
  /** The hash of the line before; the first has none. */
  prev: z.string().optional(),
});
export const HeadRecord = z.union([Place.extend(RunEnd.shape), Place.extend(Removal.shape)]);
export type HeadRecord = z.infer<typeof HeadRecord>;

/** Longer than any line. */
export const maxHeadLine = 1024;

/** Milliseconds that another process may take for its one line. */
const lockTimeoutMs = 5000;

/** Notes how a run's file ends: before it gets its final name, and again when something was appended. */
export const noteEnd = (journal: string, agentId: string, end: RunEnd) => append(journal, agentId, end);

/** Notes that a run's file goes, before it does. */
export const noteRemoved = (journal: string, agentId: string, why: Removal["removed"]) =>
  append(journal, agentId, { removed: why });

/** Makes what was noted last. */
export const headsLast = (journal: string) => commits.lasting(syncableOf(journal));

const syncables = new Map<string, Syncable>();

function syncableOf(journal: string): Syncable {
  const known = syncables.get(journal) ?? syncablePath(headsFile(journal));
  syncables.set(journal, known);
  return known;
}

/** @throws Error on a full disk, or where another process holds the lock for long: then nothing is noted */
function append(journal: string, agentId: string, what: RunEnd | Removal): void {
  makePrivateFolders(journal);
  whileLocked(runtime(journal, "heads.lock"), lockTimeoutMs, () => {
    const file = openSync(headsFile(journal), "a+", 0o600);
    try {
      appendTo(file, agentId, what);
    } finally {
      closeSync(file);
    }
  });
  commits.soon(syncableOf(journal));
}

function appendTo(file: number, agentId: string, what: RunEnd | Removal): void {
  const { line: last, size } = lastLine(file);
  const before = parseHead(last);
  // After a crash between the note and what it is about, the same is noted again.
  if (before && isSame(before, agentId, what)) return;
  const prev = last === "" ? {} : { prev: lineHash(last) };
  const record = { n: (before?.n ?? 0) + 1, ts: Date.now(), agent_id: agentId, ...what, ...prev };
  const bytes = Buffer.from(`${JSON.stringify(record)}\n`);
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
  } catch (error) {
    ftruncateSync(file, size);
    throw error;
  }
}

/**
 * The last whole line. A torn one is cut off: what it was about hasn't happened yet. No `linesFromEnd`, because what is cut off has
 * to be bounded also where there is no whole line.
 */
function lastLine(file: number): { line: string; size: number } {
  const { size } = fstatSync(file);
  const tail = Buffer.alloc(Math.min(size, 2 * maxHeadLine));
  readSync(file, tail, 0, tail.length, size - tail.length);
  const end = tail.lastIndexOf(10);
  if (end + 1 < tail.length) ftruncateSync(file, size - (tail.length - end - 1));
  if (end < 0) return { line: "", size: size - tail.length };
  const begin = tail.subarray(0, end).lastIndexOf(10) + 1;
  return { line: tail.subarray(begin, end).toString("utf8"), size: size - (tail.length - end - 1) };
}

/** A line as a record, or null. */
export function parseHead(line: string): HeadRecord | null {
  try {
    return HeadRecord.safeParse(parseOwnJson(line)).data ?? null;
  } catch {
    return null;
  }
}

function isSame(record: HeadRecord, agentId: string, what: RunEnd | Removal): boolean {
  if (record.agent_id !== agentId) return false;
  if ("removed" in what) return "removed" in record && record.removed === what.removed;
  return "head" in record && record.head === what.head && record.lines === what.lines;
}
