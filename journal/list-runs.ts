/** Runs as a list, newest first: what each was asked, and how it stands. */
import { closeSync, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { type AgentEvent, ErrorReason, isTerminal, Usage } from "../protocol/event.ts";
import { days } from "./active-runs.ts";
import { bytesOf, parseEvents } from "./read-run.ts";
import { parseRunFileName, runsFolder } from "./run-files.ts";

/** How much of a file's begin and end is read: a request line and a last word are shorter, nearly always. */
const edgeBytes = 64 * 1024;

export type RunSummary = {
  agent_id: string;
  state: "queued" | "running" | "finished" | "failed";
  persona: string;
  backend: string | null;
  model: string | null;
  prompt: string;
  started: string | null;
  ended: string | null;
  reason: ErrorReason | null;
  total_tokens: number | null;
  cost_usd: number | null;
};

/** The newest runs that have a file. */
export function listRuns(journal: string, limit: number): RunSummary[] {
  const found: RunSummary[] = [];
  for (const file of runFiles(journal)) {
    if (found.length >= limit) break;
    const summary = summaryOf(file);
    if (summary) found.push(summary);
  }
  return found;
}

export type RunFile = { path: string; agentId: string; isActive: boolean };

/** A run by its file; null when the file has gone: a run was closed meanwhile. */
export function summaryOf({ path, agentId, isActive }: RunFile): RunSummary | null {
  const events = edgesOf(path);
  return events && summarize(agentId, isActive, events);
}

/** All runs, newest first. */
export function* runFiles(journal: string): Generator<RunFile> {
  for (const day of days(journal).toReversed()) yield* runFilesOf(join(runsFolder(journal), day));
}

/** The runs of a day's folder, newest first. */
export function* runFilesOf(folder: string): Generator<RunFile> {
  const seen = new Set<string>();
  // While a run is being closed both of its names exist; the shorter one, which has ended, comes first.
  for (const name of readdirSync(folder).toSorted((a, b) => compare(b, a))) {
    const parsed = parseRunFileName(name);
    if (!parsed || seen.has(parsed.agentId)) continue;
    seen.add(parsed.agentId);
    yield { path: join(folder, name), ...parsed };
  }
}

function compare(a: string, b: string): number {
  const [idA, idB] = [a.slice(0, 13), b.slice(0, 13)];
  if (idA !== idB) return idA < idB ? -1 : 1;
  return b.length - a.length;
}

/** What a run's events come to. */
export function summarize(agentId: string, isActive: boolean, events: AgentEvent[]): RunSummary {
  const request = events.find((event) => event.event === "request");
  const start = events.findLast((event) => event.event === "start");
  const last = events.find(isTerminal);
  const usage = Usage.safeParse(last?.["usage"]);
  const reason = ErrorReason.safeParse(last?.event === "error" ? last["reason"] : undefined);
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
  };
}

/** The events at both ends of a file. Null when it has gone: a run was closed meanwhile. */
function edgesOf(path: string): AgentEvent[] | null {
  if (path.endsWith(".gz")) {
    const bytes = bytesOf(path);
    return bytes && edgesIn(bytes.length, (position, length) => bytes.subarray(position, position + length), true);
  }
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
  try {
    const hasEnded = !path.endsWith("_active.jsonl");
    return edgesIn(fstatSync(file).size, (position, length) => read(file, position, length), hasEnded);
  } finally {
    closeSync(file);
  }
}

function edgesIn(size: number, part: (position: number, length: number) => Buffer, hasEnded: boolean): AgentEvent[] {
  if (size <= 2 * edgeBytes) return parseEvents(part(0, size));
  // A line that is longer than its edge is looked for in the whole file.
  const [head, tail] = [part(0, edgeBytes), part(size - edgeBytes, edgeBytes)];
  const events = [...parseEvents(head), ...parseEvents(tail.subarray(tail.indexOf(10) + 1))];
  const isWhole = head.includes(10) && events.some(isTerminal);
  return isWhole || !hasEnded ? events : parseEvents(part(0, size));
}

function read(file: number, position: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  return buffer.subarray(0, readSync(file, buffer, 0, length, position));
}

const textOf = (value: unknown) => (typeof value === "string" ? value : undefined);
