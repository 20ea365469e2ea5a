/**
 * The retention of ended runs' files: old ones are compressed, older ones deleted, and none that anything still needs.
 */
import { closeSync, existsSync, fstatSync, openSync, readSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate as breath } from "node:timers/promises";
import { messageOf } from "../../files/errors/error-message.ts";
import { type AgentEvent, isTerminal } from "../../protocol/runs/event.ts";
import type { Retention } from "../../protocol/settings/settings.ts";
import type { AgentState } from "../../protocol/agents/agent-files.ts";
import { activeRuns, runDays } from "../runs/active-runs.ts";
import { listAgents, readState } from "../agents/agent-files.ts";
import { appendNow } from "../../files/writing/append-whole.ts";
import { compressRun, removeHalves } from "../ended-runs/compressed-run.ts";
import { takePruneLock, whileEndedLocked } from "../ended-runs/ended-lock.ts";
import { fileLines, openFile } from "../../files/lines/file-lines.ts";
import { type SweepReport, sweepAttachments } from "./sweep-attachments.ts";
import { sweepSessions } from "./sweep-sessions.ts";
import { commits, syncablePath } from "../../files/writing/group-commit.ts";
import { runFiles } from "../runs/list-runs.ts";
import { readLiveStatus } from "../programs/live-status.ts";
import { parseEventLine, parseEvents } from "../chain/event-line.ts";
import { sweepSentPrompts } from "../sent-prompts/sent-prompts.ts";
import { noteRemoved } from "../chain/run-heads.ts";
import {
  activeFile,
  callsFolder,
  compressedFile,
  endedFile,
  prunedFile,
  runFile,
  runsFolder,
  runState,
  wasPruned,
} from "../runs/run-files.ts";

const dayMs = 86_400_000;
/** Bytes of a file's end that hold the terminal event, nearly always: little follows it. */
const edgeBytes = 64 * 1024;

export type PruneOptions = Retention & {
  /** Says what would be done, and does nothing. */
  dryRun?: boolean;
  /** Ends it after the file that is under way. */
  signal?: AbortSignal;
  now?: number;
};

export type PruneReport = {
  compressed: { agent_id: string; freed_bytes: number | null }[];
  deleted: { agent_id: string; freed_bytes: number }[];
  /** Old enough, and needed all the same. */
  kept: { agent_id: string; reason: string }[];
  failed: { agent_id: string; error: string }[];
  /** Stored files that nothing names any more. */
  attachments: SweepReport;
};

/** Somebody else is at it. */
export class PruningError extends Error {
  constructor(journal: string) {
    super(`another process is pruning ${journal}`);
    this.name = "PruningError";
  }
}

/**
 * Compresses and deletes what is old. Safe to repeat after a crash at any point.
 * @throws PruningError
 */
export async function pruneRuns(journal: string, options: PruneOptions): Promise<PruneReport> {
  using lock = takePruneLock(journal);
  if (!lock) throw new PruningError(journal);
  const report: PruneReport = { compressed: [], deleted: [], kept: [], failed: [], attachments: { deleted: [] } };
  if (!options.dryRun) for (const day of runDays(journal)) removeHalves(join(runsFolder(journal), day), options.now);
  const needed = neededRuns(journal);
  // The newest first: when the last run of a chain goes, those that it goes on from may follow.
  for (const { path, agentId, isActive } of runFiles(journal)) {
    if (options.signal?.aborted) break;
    await breath(); // there may be very many, and whoever prunes may have runs to look after
    if (isActive) continue;
    try {
      const step = stepFor(path, agentId, options);
      if (!step) continue;
      const reason = needed.get(agentId) ?? (await reasonToKeep(journal, path, agentId));
      if (reason !== null) report.kept.push({ agent_id: agentId, reason });
      else if (step === "delete") report.deleted.push(await deleteRun(journal, path, agentId, options));
      else report.compressed.push(await compressIfThere(journal, path, agentId, options));
    } catch (error) {
      report.failed.push({ agent_id: agentId, error: messageOf(error) });
    }
  }
  const { delete_after_days, now = Date.now(), dryRun, signal } = options;
  if (delete_after_days !== undefined && !signal?.aborted) {
    const since = now - delete_after_days * dayMs;
    const gone = new Set(report.deleted.map(({ agent_id }) => agent_id));
    if (!dryRun) {
      sweepSentPrompts(journal, now);
      await sweepSessions(journal, since);
    }
    report.attachments = await sweepAttachments(journal, { since, isGone: (id) => gone.has(id), dryRun, signal });
  }
  return report;
}

/** Both its id and what was last done to it must be old: an id may be given by whoever asks. */
function stepFor(path: string, agentId: string, options: PruneOptions): "delete" | "compress" | null {
  const { delete_after_days = Infinity, compress_after_days = Infinity, now = Date.now() } = options;
  const isOld = (since: number, days: number) => now - since >= days * dayMs;
  if (!isOld(Number(agentId), Math.min(delete_after_days, compress_after_days))) return null;
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return null; // it has got another name meanwhile, or was deleted
  const since = Math.max(Number(agentId), stats.mtimeMs);
  if (isOld(since, delete_after_days)) return "delete";
  return isOld(since, compress_after_days) && !path.endsWith(".gz") ? "compress" : null;
}

/** Runs whose finalization is pending, and those from which a waiting request goes on. */
function neededRuns(journal: string): Map<string, string> {
  const needed = new Map<string, string>();
  for (const { agent_id, continue_from } of readLiveStatus(journal)?.waiting ?? [])
    if (continue_from !== undefined) needed.set(continue_from, `${agent_id}, which waits, goes on from it`);
  for (const id of listAgents(journal)) {
    // What ended is in its history.
    const { turn } = stateOrNothing(journal, id);
    if (turn) needed.set(turn.run_id, `the agent ${id} is at it`);
  }
  for (const agentId of activeRuns(journal)) needed.set(agentId, "its finalization is pending");
  return needed;
}

/** One that can't be read is of an agent that goes on from nothing. */
function stateOrNothing(journal: string, id: string): Partial<AgentState> {
  try {
    return readState(journal, id);
  } catch {
    return {};
  }
}

async function reasonToKeep(journal: string, path: string, agentId: string): Promise<string | null> {
  if (existsSync(activeFile(journal, agentId))) return "it is being closed";
  const after = await eventsAfterEnd(path);
  if (!after) return "it has no terminal event";
  const next = targets(after, "continue").find((id) => runFile(journal, id) !== null);
  if (next !== undefined) return `${next} goes on from it`;
  const child = await unfinishedChild(journal, after);
  return child === null ? null : `${child}, to which it handed off, hasn't ended`;
}

/** The run of the chain behind it that has yet to end, or null. */
async function unfinishedChild(journal: string, after: AgentEvent[]): Promise<string | null> {
  const seen = new Set<string>();
  for (let [child] = targets(after, "handoff"); child !== undefined && !seen.has(child); ) {
    seen.add(child);
    if (runState(journal, child) !== "ended") return child;
    const path = runFile(journal, child);
    [child] = path === null ? [] : targets((await eventsAfterEnd(path)) ?? [], "handoff");
  }
  return null;
}

function targets(events: AgentEvent[], name: string): string[] {
  return events.flatMap(({ event, to }) => (event === name && typeof to === "string" ? [to] : []));
}

/** Reads the events behind a run's terminal event; null when it has none. */
async function eventsAfterEnd(path: string): Promise<AgentEvent[] | null> {
  const behind = path.endsWith(".gz") ? null : afterEnd(parseEvents(await lastBytes(path)));
  if (behind) return behind;
  let after: AgentEvent[] | null = null;
  for await (const { bytes } of fileLines(path)) {
    if (!endWords.some((word) => bytes.includes(word))) continue;
    const event = parseEventLine(bytes.toString("utf8"));
    if (!event) continue;
    if (after) after.push(event);
    else if (isTerminal(event)) after = [];
  }
  return after;
}

/** The events that end a run, and those of the ones after it that lead to other runs. */
const endWords = ['"finish"', '"error"', '"continue"', '"handoff"'].map((word) => Buffer.from(word));

function afterEnd(events: AgentEvent[]): AgentEvent[] | null {
  const end = events.findIndex(isTerminal);
  return end < 0 ? null : events.slice(end + 1);
}

async function lastBytes(path: string): Promise<Buffer> {
  await using file = await openFile(path);
  const { size } = await file.stat();
  const length = Math.min(size, edgeBytes);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
  return buffer.subarray(0, bytesRead);
}

async function compressIfThere(journal: string, path: string, agentId: string, { dryRun }: PruneOptions) {
  if (dryRun) return { agent_id: agentId, freed_bytes: null };
  const before = statSync(path).size;
  const after = await compressRun(journal, agentId);
  if (after === null) throw new Error("it was appended to meanwhile");
  return { agent_id: agentId, freed_bytes: before - after };
}

/** Its id is written down first: it stays taken. */
async function deleteRun(journal: string, path: string, agentId: string, { dryRun }: PruneOptions) {
  const { size, mtimeMs } = statSync(path);
  if (dryRun) return { agent_id: agentId, freed_bytes: size };
  await noteDeleted(journal, agentId);
  whileEndedLocked(journal, () => {
    const now = statSync(path, { throwIfNoEntry: false });
    if (now?.size !== size || now.mtimeMs !== mtimeMs) throw new Error("it was appended to meanwhile");
    noteRemoved(journal, agentId, "retention");
    // The plain one last: where both stand, it counts.
    rmSync(compressedFile(journal, agentId), { force: true });
    rmSync(endedFile(journal, agentId), { force: true });
  });
  rmSync(callsFolder(journal, agentId), { recursive: true, force: true });
  await commits.lasting(syncablePath(dirname(path)));
  return { agent_id: agentId, freed_bytes: size };
}

async function noteDeleted(journal: string, agentId: string): Promise<void> {
  if (wasPruned(journal, agentId)) return;
  const path = prunedFile(journal, agentId);
  const line = `${JSON.stringify({ agent_id: agentId, ts: Date.now() })}\n`;
  appendNow(path, isTorn(path) ? `\n${line}` : line, 0o600);
  await commits.lasting(syncablePath(path));
  await commits.lasting(syncablePath(dirname(path)));
}

function isTorn(path: string): boolean {
  if (!existsSync(path)) return false;
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const last = Buffer.alloc(1);
    return size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last[0] !== 10;
  } finally {
    closeSync(file);
  }
}
