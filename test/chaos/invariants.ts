/**
 * The invariants of a journal and its bus when everything has ended, whatever was killed meanwhile. Used by all that
 * kills.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { openBus } from "../../bus/connection/connect.ts";
import { fromEvents } from "../../conversation/from-events.ts";
import { addressAs, readBusAccess } from "../../journal/access/endpoints.ts";
import { runDays } from "../../journal/runs/active-runs.ts";
import { readRun } from "../support/read-run.ts";
import { liveRuns } from "../../journal/run-folders/run-folder.ts";
import { runsWithSecrets } from "../../journal/run-folders/run-secrets.ts";
import { endedFile, parseRunFileName, runsFolder } from "../../journal/runs/run-files.ts";
import { verifyRun } from "../../journal/ended-runs/verify-run.ts";
import { type AgentEvent, isTerminal } from "../../protocol/runs/event.ts";
import type { JournalClient } from "../support/journal-client.ts";
import { textOf, waitingPids } from "../support/journal-processes.ts";
import { patienceMs } from "../support/patience.ts";

/**
 * Finds the problems of these runs, and of what they left.
 * @param programs the pids of those that may live
 */
export async function problemsOf(client: JournalClient, ids: string[], programs: number[]): Promise<string[]> {
  const { journal } = client;
  const problems = [...runProblems(journal, ids), ...orphanProblems(client, programs)];
  for (const agentId of ids) {
    const chain = await verifyRun(endedFile(journal, agentId), agentId);
    for (const { line, problem } of chain?.problems ?? [])
      problems.push(`run ${agentId}: line ${line} of its file ${problem}`);
    const file = client.file(agentId);
    const stored = await client.stored(agentId);
    if (!isDeepStrictEqual(stored, file))
      problems.push(`the bus has other events of ${agentId} than its file: ${told(stored)} ≠ ${told(file)}`);
  }
  const claims = await claimsLeft(journal);
  if (claims.length > 0) problems.push(`claims are left in the bucket: ${claims.join(", ")}`);
  return problems;
}

/**
 * Finds the problems with how often a run's agent was started.
 * @param births where each of its processes has left a line
 */
export function birthProblems(client: JournalClient, agentId: string, births: string): string[] {
  const started = textOf(births).split("\n").length - 1;
  const attempts = Math.max(0, ...client.file(agentId).map(({ attempt }) => Number(attempt) || 0));
  return started > attempts
    ? [`run ${agentId}: ${started} processes of its agent were started in ${attempts} attempts`]
    : [];
}

/** Where a secret still stands. */
export function secretProblems(journal: string, secret: string): string[] {
  const files = readdirSync(journal, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  return paths.filter((path) => textOf(path).includes(secret)).map((path) => `a secret stands in ${path}`);
}

/** Finds the problems of the files of runs. */
export function runProblems(journal: string, ids: string[]): string[] {
  return ids.flatMap((agentId) => {
    if (!existsSync(endedFile(journal, agentId))) return [`run ${agentId} hasn't ended`];
    const lines = readFileSync(endedFile(journal, agentId), "utf8").split("\n");
    const events = readRun(journal, agentId)?.events ?? [];
    const problems: string[] = [];
    if (lines.pop() !== "" || lines.length !== events.length) problems.push("a line is torn");
    if (events.some(({ seq }, index) => seq !== index + 1)) problems.push("its numbers have gaps");
    if (events[0]?.event !== "request") problems.push("it doesn't begin with its request");
    const ends = events.filter(isTerminal).length;
    if (ends !== 1) problems.push(`it has ${ends} terminal events`);
    for (const name of ["request", "saved", "handoff"])
      if (events.filter(({ event }) => event === name).length > 1) problems.push(`it says "${name}" twice`);
    problems.push(...owedProblems(journal, agentId, events), ...openCalls(events));
    return problems.map((problem) => `run ${agentId}: ${problem}: ${told(events)}`);
  });
}

/** Finds the steps of a finished run's finalization that were not done, once. */
function owedProblems(journal: string, agentId: string, events: AgentEvent[]): string[] {
  const request = events.find(({ event }) => event === "request");
  if (!events.some(({ event }) => event === "finish")) return [];
  const problems: string[] = [];
  if (request?.["save"] !== undefined) {
    const path = events.find(({ event }) => event === "saved")?.["path"];
    if (typeof path !== "string") problems.push("it wasn't saved");
    else if (textOf(join(journal, path)).trim() !== events.find(isTerminal)?.["result"])
      problems.push(`${path} isn't its result`);
  }
  if (request?.["handoff"] !== undefined) {
    const children = allRuns(journal).filter((id) => requestOf(journal, id)?.["handoff_from"] === agentId);
    const to = events.find(({ event }) => event === "handoff")?.["to"];
    if (children.length !== 1 || children[0] !== to)
      problems.push(`handed off to ${String(to)}, and it has the children ${children.join(", ")}`);
  }
  return problems;
}

/** A finished run has waited for each of its calls, and in what a continuation of any run would see each has its result. */
function openCalls(events: AgentEvent[]): string[] {
  const last = events.slice(events.findLastIndex(({ event }) => event === "start"));
  const ended = new Set(last.filter(({ event }) => event === "tool_end").map(({ call_id }) => call_id));
  const begun = last.some(({ event }) => event === "finish") ? last.filter(({ event }) => event === "tool_start") : [];
  const open = begun.filter(({ call_id }) => !ended.has(call_id));
  const messages = fromEvents(events);
  const results = new Set(messages.map(({ call_id }) => call_id));
  const calls = messages.flatMap((message) => message.calls ?? []);
  const unanswered = calls.filter(({ call_id }) => !results.has(call_id));
  return [...open, ...unanswered].map(({ tool }) => `a call of ${String(tool)} has no result`);
}

/** Lists what nobody needs any more, and nobody has taken away. */
function orphanProblems(client: JournalClient, programs: number[]): string[] {
  const { journal } = client;
  const active = runDays(journal)
    .flatMap((day) => readdirSync(join(runsFolder(journal), day)))
    .filter((name) => parseRunFileName(name)?.isActive);
  const waiting = waitingPids(journal);
  const orphans = client
    .processes()
    .filter(({ pid }) => !programs.includes(pid) && !waiting.includes(pid))
    .map(({ pid, command }) => `process ${pid} is left: ${command}`);
  return [
    ...active.map((name) => `${name} is still active`),
    ...liveRuns(journal).map((agentId) => `the finalization of run ${agentId} is pending`),
    ...runsWithSecrets(journal).map((agentId) => `secrets of run ${agentId} are left`),
    ...orphans,
  ];
}

/** The claims that are in the bucket. */
export async function claimsLeft(journal: string): Promise<string[]> {
  const access = readBusAccess(journal);
  if (!access) return [];
  await using bus = await openBus(addressAs(access, "cortex"), "cortex", patienceMs);
  const { state } = await (await bus.manager()).streams.info("KV_cortex_claims", { subjects_filter: ">" });
  // `seen.…` is the mark of a worker that was killed while it began to look: the next ones take it away.
  return Object.keys(state.subjects ?? {}).filter((subject) => !subject.includes(".seen."));
}

/** The ids of all runs of a journal. */
export function allRuns(journal: string): string[] {
  return runDays(journal).flatMap((day) =>
    readdirSync(join(runsFolder(journal), day)).flatMap((name) => parseRunFileName(name)?.agentId ?? []),
  );
}

const requestOf = (journal: string, agentId: string) =>
  readRun(journal, agentId)?.events.find(({ event }) => event === "request");

const told = (events: AgentEvent[]) => events.map(({ seq, event }) => `${seq} ${event}`).join(", ");
