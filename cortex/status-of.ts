/** The status of cortex: shortly on the bus, and in a file with what commands want to know. */
import type { LiveStatus } from "../journal/programs/live-status.ts";
import type { Request } from "../protocol/runs/request/request.ts";
import { shownPrompt } from "../protocol/runs/request/request-content.ts";
import type { Status } from "../protocol/runs/subjects.ts";
import type { CortexDeps, SharedDeps } from "./deps.ts";
import { defaultBackend, keysIn } from "./plan/backend-choice.ts";
import type { LiveRun } from "./lifecycle/live-run.ts";
import type { WaitingRequest } from "./intake/queue.ts";

/** So much of a prompt shows what a request is about. */
const promptCharacters = 200;

const shortly = (run: LiveRun) => ({
  agent_id: run.agentId,
  persona: run.plan.persona,
  backend: run.plan.backend.name,
  elapsed_seconds: run.elapsedSeconds,
});

export function statusOf(worker: string, runs: LiveRun[], queued: number, capacity: number): Status {
  return { worker, running: runs.map(shortly), queued, capacity };
}

type StatusDeps = Pick<CortexDeps, "settings"> & Pick<SharedDeps, "bus"> & { workers: LiveStatus["workers"] };

/** The same, with what commands want to know. */
export function liveStatusOf(
  status: Status,
  runs: LiveRun[],
  waiting: readonly WaitingRequest[],
  { bus, settings, workers }: StatusDeps,
): LiveStatus {
  const fallback = defaultBackend(settings(), process.env);
  return {
    ...status,
    pid: process.pid,
    running: runsForFile(runs),
    labels: settings().labels ?? [],
    workers,
    bus_ignores: bus.configDrift.differences,
    keys: keysIn(process.env),
    default_backend: fallback,
    waiting: waitingForFile(waiting, fallback),
  };
}

/** The ids of stored files that a request names. */
function storedFilesOf({ attachments = [], conversation = [] }: Request): string[] | undefined {
  const refs = [...attachments, ...conversation.flatMap((message) => message.attachments ?? [])];
  return refs.length > 0 ? refs.flatMap(({ id }) => id ?? []) : undefined;
}

/** The runs of the file's status. */
const runsForFile = (runs: LiveRun[]): LiveStatus["running"] =>
  runs.map((run) => ({ ...shortly(run), attempt: run.attempt, state: run.state, since: run.started }));

/** The requests that wait. @param fallback the backend of those that name none */
const waitingForFile = (waiting: readonly WaitingRequest[], fallback: string): LiveStatus["waiting"] =>
  waiting.map(({ agentId, request }) => ({
    agent_id: agentId,
    persona: request.persona ?? "default",
    backend: request.backend ?? fallback,
    prompt: shownPrompt(request).slice(0, promptCharacters),
    continue_from: request.continue_from,
    attachments: storedFilesOf(request),
  }));
