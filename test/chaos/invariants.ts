/** What has to be true of a journal and its bus when everything has ended, whatever was killed meanwhile. Used by all that kills. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { fromEvents } from "../../conversation/from-events.ts";
import { openBus } from "../../bus/connect.ts";
import { addressAs, readBusAccess } from "../../journal/endpoints.ts";
import { days } from "../../journal/active-runs.ts";
import { readRun } from "../../journal/read-run.ts";
import { liveRuns } from "../../journal/run-folder.ts";
import { endedFile, parseRunFileName, runsFolder } from "../../journal/run-files.ts";
import { type AgentEvent, isTerminal } from "../../protocol/event.ts";
import { CortexSystem } from "../support/cortex-system.ts";

/** The names of the programs that may live: by what their command line has in it. */
const programs = ["cortex/main", "nats-server", "mcp-tools/main", "cortex-up", "scripts/cortex"];

/** What is wrong with these runs, and with what they left. */
export async function problemsOf(system: CortexSystem, ids: string[]): Promise<string[]> {
  const problems = [...runProblems(system.journal, ids), ...leftovers(system)];
  for (const agentId of ids) {
    const file = system.file(agentId);
    const stored = await system.stored(agentId);
    if (!isDeepStrictEqual(stored, file))
      problems.push(`the bus has other events of ${agentId} than its file: ${told(stored)} ≠ ${told(file)}`);
  }
  const claims = await claimsLeft(system.journal);
  if (claims.length > 0) problems.push(`claims are left in the bucket: ${claims.join(", ")}`);
  return problems;
}

/** What is wrong with the files of runs. */
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

/** Whatever a finished run owes was done, once. */
function owedProblems(journal: string, agentId: string, events: AgentEvent[]): string[] {
  const request = events.find(({ event }) => event === "request");
  if (!events.some(({ event }) => event === "finish")) return [];
  const problems: string[] = [];
  if (request?.["save"] !== undefined) {
    const path = events.find(({ event }) => event === "saved")?.["path"];
    if (typeof path !== "string") problems.push("it wasn't saved");
    else if (!existsSync(join(journal, path))) problems.push(`${path} isn't there`);
  }
  if (request?.["handoff"] !== undefined) {
    const children = allRuns(journal).filter((id) => requestOf(journal, id)?.["handoff_from"] === agentId);
    const to = events.find(({ event }) => event === "handoff")?.["to"];
    if (children.length !== 1 || children[0] !== to)
      problems.push(`handed off to ${String(to)}, and it has the children ${children.join(", ")}`);
  }
  return problems;
}

/** In what a continuation would see, each call has its result. */
function openCalls(events: AgentEvent[]): string[] {
  const messages = fromEvents(events);
  const results = new Set(messages.map(({ call_id }) => call_id));
  const calls = messages.flatMap((message) => message.calls ?? []);
  return calls.filter(({ call_id }) => !results.has(call_id)).map(({ tool }) => `a call of ${tool} has no result`);
}

/** What nobody needs any more, and nobody has taken away. */
function leftovers(system: CortexSystem): string[] {
  const { journal } = system;
  const active = days(journal)
    .flatMap((day) => readdirSync(join(runsFolder(journal), day)))
    .filter((name) => parseRunFileName(name)?.isActive);
  const orphans = system
    .processes()
    .filter(({ command }) => !programs.some((program) => command.includes(program)))
    .map(({ pid, command }) => `process ${pid} is left: ${command}`);
  return [
    ...active.map((name) => `${name} is still active`),
    ...liveRuns(journal).map((agentId) => `something of run ${agentId} is owed`),
    ...orphans,
  ];
}

async function claimsLeft(journal: string): Promise<string[]> {
  const access = readBusAccess(journal);
  if (!access) return [];
  await using bus = await openBus(addressAs(access, "cortex"), "cortex");
  const { state } = await (await bus.manager()).streams.info("KV_cortex_claims", { subjects_filter: ">" });
  // `seen.…` is the mark of a worker that was killed while it began to look: the next ones take it away.
  return Object.keys(state.subjects ?? {}).filter((subject) => !subject.includes(".seen."));
}

function allRuns(journal: string): string[] {
  return days(journal).flatMap((day) =>
    readdirSync(join(runsFolder(journal), day)).flatMap((name) => parseRunFileName(name)?.agentId ?? []),
  );
}

const requestOf = (journal: string, agentId: string) =>
  readRun(journal, agentId)?.events.find(({ event }) => event === "request");

const told = (events: AgentEvent[]) => events.map(({ seq, event }) => `${seq} ${event}`).join(", ");
