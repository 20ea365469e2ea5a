/** Runs as a list, newest first: what each was asked, and how it stands. */
import { readdirSync, statSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hasCode } from "../../files/errors/errno.ts";
import { ErrorReason } from "../../protocol/events/error-reason.ts";
import { Usage } from "../../protocol/events/usage.ts";
import { type AgentEvent, isTerminal } from "../../protocol/runs/event.ts";
import { runDays } from "./active-runs.ts";
import { fileLines, FileLinesError, openFile } from "../../files/lines/file-lines.ts";
import { parseEventLine, parseEvents } from "../chain/event-line.ts";
import { parseRunFileName, runsFolder } from "./run-files.ts";

/** How much of a file's begin and end is read: a request line and a terminal event are shorter, nearly always. */
const edgeBytes = 64 * 1024;

export type RunSummary = {
  agent_id: string;
  state: "queued" | "running" | "orphaned" | "finished" | "failed";
  persona: string;
  backend: string | null;
  model: string | null;
  prompt: string;
  started: string | null;
  ended: string | null;
  reason: ErrorReason | null;
  total_tokens: number | null;
  cost_usd: number | null;
  /** The long-lived agent whose turn it is, where it is one's. */
  agent?: string;
  /** Why its file can't be read, where it can't. */
  damaged?: string;
};

/**
 * The newest runs that have a file. One whose file can't be read says so, and the others go on.
 * @param isWanted which of them count; absent: all
 */
export async function listRuns(
  journal: string,
  limit: number,
  isWanted: (run: RunSummary) => boolean = () => true,
): Promise<RunSummary[]> {
  const found: RunSummary[] = [];
  for (const file of runFiles(journal)) {
    if (found.length >= limit) break;
    const summary = await summaryOf(file);
    if (summary && isWanted(summary)) found.push(summary);
  }
  return found;
}

export type RunFile = { path: string; agentId: string; isActive: boolean };

/** A run by its file, which may have got another name since it was listed; null when it was deleted. */
export async function summaryOf({ path, agentId }: RunFile): Promise<RunSummary | null> {
  const folder = dirname(path);
  const [ended, packed] = [join(folder, `${agentId}.jsonl`), join(folder, `${agentId}.jsonl.gz`)];
  for (const name of [path, ended, packed, join(folder, `${agentId}_active.jsonl`), ended, packed])
    try {
      return summarize(agentId, name.endsWith("_active.jsonl"), await edgesOf(name));
    } catch (error) {
      if (error instanceof FileLinesError) return damagedRun(agentId, error.message);
      if (!hasCode(error, "ENOENT")) throw error;
    }
  return null;
}

const damagedRun = (agentId: string, damaged: string): RunSummary => ({ ...summarize(agentId, false, []), damaged });

/** All runs, newest first. */
export function* runFiles(journal: string): Generator<RunFile> {
  for (const day of runDays(journal).toReversed()) yield* runFilesOf(join(runsFolder(journal), day));
}

/** The runs of a day's folder, newest first. None when there is no such folder, or something else has its name. */
export function* runFilesOf(folder: string): Generator<RunFile> {
  const seen = new Set<string>();
  // While a run is being closed both of its names exist; the shorter one, which has ended, comes first.
  for (const name of settledNamesIn(folder).toSorted((a, b) => compare(b, a))) {
    const parsed = parseRunFileName(name);
    if (!parsed || seen.has(parsed.agentId)) continue;
    seen.add(parsed.agentId);
    yield { path: join(folder, name), ...parsed };
  }
}

/** How long ago a folder's last change must be to be sure that none came while it was read: its time may be coarse. */
const coarseMs = 1000;

/**
 * The names in a folder. One that is changed while the folder is read may be given under neither of its names; so a folder
 * that is being written to is read twice.
 */
function settledNamesIn(folder: string): string[] {
  try {
    const before = statSync(folder).mtimeMs;
    const names = readdirSync(folder);
    if (statSync(folder).mtimeMs === before && Date.now() - before > coarseMs) return names;
    return [...new Set([...names, ...readdirSync(folder)])];
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  }
}

function compare(a: string, b: string): number {
  const [idA, idB] = [a.slice(0, 13), b.slice(0, 13)];
  if (idA !== idB) return idA < idB ? -1 : 1;
  return b.length - a.length;
}

/** Builds the summary of a run from its events. */
export function summarize(agentId: string, isActive: boolean, events: AgentEvent[]): RunSummary {
  const request = events.find((event) => event.event === "request");
  const start = events.findLast((event) => event.event === "start");
  const last = events.find(isTerminal);
  const usage = Usage.safeParse(last?.["usage"]);
  const reason = ErrorReason.safeParse(last?.event === "error" ? last["reason"] : undefined);
  const agent = textOf(request?.["agent"]);
  return {
    agent_id: agentId,
    state: last ? (last.event === "finish" ? "finished" : "failed") : isActive ? "running" : "failed",
    persona: textOf(start?.["persona"]) ?? textOf(request?.["persona"]) ?? "default",
    backend: textOf(start?.["backend"]) ?? textOf(request?.["backend"]) ?? null,
    model: textOf(start?.["model"]) ?? textOf(request?.["model"]) ?? null,
    prompt: textOf(request?.["prompt"]) ?? "",
    started: start ? new Date(start.ts).toISOString() : null,
    ended: last ? new Date(last.ts).toISOString() : null,
    reason: reason.success ? reason.data : null,
    total_tokens: usage.success ? (usage.data.input_tokens ?? 0) + (usage.data.output_tokens ?? 0) : null,
    cost_usd: usage.success ? (usage.data.cost_usd ?? null) : null,
    ...(agent !== undefined && { agent }),
  };
}

/** The events that tell of a run, from both ends of its file; where a line is longer than an edge, from all of it. */
async function edgesOf(path: string): Promise<AgentEvent[]> {
  if (path.endsWith(".gz")) return tellingEvents(path);
  await using file = await openFile(path);
  const { size } = await file.stat();
  if (size <= 2 * edgeBytes) return parseEvents(await read(file, 0, size));
  const [head, tail] = [await read(file, 0, edgeBytes), await read(file, size - edgeBytes, edgeBytes)];
  const events = [...parseEvents(head), ...parseEvents(tail.subarray(tail.indexOf(10) + 1))];
  const isWhole = head.includes(10) && events.some(isTerminal);
  return isWhole || path.endsWith("_active.jsonl") ? events : tellingEvents(path);
}

const tellingWords = ['"request"', '"start"', '"finish"', '"error"'].map((word) => Buffer.from(word));

/** Picks the events of a whole file that matter: the request, the last start and the terminal event. */
async function tellingEvents(path: string): Promise<AgentEvent[]> {
  let request: AgentEvent | undefined;
  let start: AgentEvent | undefined;
  let last: AgentEvent | undefined;
  for await (const { bytes } of fileLines(path)) {
    if (!tellingWords.some((word) => bytes.includes(word))) continue;
    const event = parseEventLine(bytes.toString("utf8"));
    if (event?.event === "request") request ??= event;
    if (event?.event === "start") start = event;
    if (event && isTerminal(event)) last ??= event;
  }
  return [request, start, last].filter((event) => event !== undefined);
}

async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

const textOf = (value: unknown) => (typeof value === "string" ? value : undefined);
