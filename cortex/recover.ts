/**
 * The recovery of what an earlier cortex left: living runs are adopted, ended ones closed, waiting ones queued again.
 */
import type { Message } from "../protocol/runs/run-config.ts";
import { defaultPriority } from "../protocol/runs/request/request.ts";
import type { Logger } from "../proc/logging/log.ts";
import type { Claims } from "./claims/claims.ts";
import type { Ports } from "./ports/ports.ts";
import { historyOf } from "./lifecycle/history-of.ts";
import { LiveRun } from "./lifecycle/live-run.ts";
import { readRequest } from "./intake/read-request.ts";
import type { RunRecord } from "./plan/run-record.ts";
import { RunSoFar } from "./limits/run-so-far.ts";
import type { RunFiles } from "./ports/run-files.ts";
import { RunWriter } from "./output/run-writer.ts";
import type { Cortex } from "./service.ts";
import { quarantineFenced } from "./finalization/quarantine-fenced.ts";
import { requestLine } from "./lifecycle/request-of-run.ts";

/** Milliseconds for which a run waits that couldn't be taken up. */
const againMs = 1000;

export type RecoveryParts = Pick<Ports, "clock" | "files" | "processes" | "requests" | "publisher" | "ledger"> & {
  claims: Claims;
  worker: string;
  log: Logger;
};

/**
 * Takes up everything, before the first new request is read.
 * @param ids the runs of which something is pending
 */
export async function recover(cortex: Cortex, ids: string[], parts: RecoveryParts): Promise<void> {
  await parts.files.revokeTokensExcept(new Set(ids));
  for (const agentId of ids) await tryToRecover(cortex, parts, agentId);
}

/** Tries until it works: nobody else takes up what a living worker has. */
async function tryToRecover(cortex: Cortex, parts: RecoveryParts, agentId: string): Promise<void> {
  try {
    await recoverRun(cortex, parts, agentId);
  } catch (error) {
    if (await cortex.unreadable.failed(agentId, error)) return cortex.finalizer.finalizeRun(agentId);
    parts.log.error({ agent_id: agentId, err: error }, "a run couldn't be taken up; it is tried again");
    parts.clock.later(againMs, () => void tryToRecover(cortex, parts, agentId));
  }
}

async function recoverRun(cortex: Cortex, parts: RecoveryParts, agentId: string): Promise<void> {
  const { files, claims } = parts;
  const state = files.state(agentId);
  if (cortex.unreadable.isMissing(agentId)) return cortex.finalizer.finalizeRun(agentId);
  if (state === "absent") return cortex.lose(agentId);
  if (!(await isOurs(parts, agentId))) return fence(cortex, parts, agentId);
  if (state === "ended") {
    files.commit(agentId);
    return cortex.finalizer.finalizeRun(agentId);
  }
  const record = files.record(agentId);
  const asked = record ? null : await requestOf(parts, agentId);
  const soFar = new RunSoFar();
  const { durability = "safe" } = cortex.context.settings();
  const file = await files.resume(agentId, durability, (event) => soFar.add(event));
  const writer = new RunWriter(file, parts, true);
  if (record && soFar.events === 0) await writer.write([requestLine(record.request)]);
  if (record) return takeUp(cortex, parts, writer, record, soFar);
  // Its file was claimed, and nothing more: it starts now, unless it ended before it could start. What a lost worker had
  // written may not all have been copied yet, and its finalization is still pending.
  const before = claims.before(agentId);
  if (soFar.terminal && !before.isTakenOver) {
    await writer.close();
    return cortex.finalizer.finalizeRun(agentId);
  }
  await cortex.starter.goOnWithRun(writer, asked, soFar, before);
}

/** Whether the run is still this worker's. A claim that the bus has lost is made again. */
async function isOurs({ ledger, claims, worker }: RecoveryParts, agentId: string): Promise<boolean> {
  const entry = await ledger.entry(agentId);
  if (entry?.ended) return entry.ended.worker === worker;
  if (!entry) return true;
  const { stream_seq } = entry;
  await claims.offer(agentId, { stream_seq, priority: defaultPriority, labels: [] });
  const claim = claims.get(agentId);
  return claim?.state === "queued" && claim.epoch === 0 ? claims.takeClaim(agentId) : claims.confirm(agentId);
}

/** Another worker has it: its process is killed, and what it wrote since is quarantined. */
async function fence(cortex: Cortex, { files, processes, log }: RecoveryParts, agentId: string): Promise<void> {
  const record = files.record(agentId);
  if (record) {
    const folder = processes.folder(agentId, record.attempt);
    processes.signal(folder, "SIGKILL");
    await processes.sweep(folder);
  }
  await quarantineFenced({ files, log }, agentId, record);
  cortex.lose(agentId);
}

async function takeUp(
  cortex: Cortex,
  parts: RecoveryParts,
  writer: RunWriter,
  record: RunRecord,
  soFar: RunSoFar,
): Promise<void> {
  const { files, processes, log } = parts;
  const { agentId } = writer;
  const folder = processes.folder(agentId, record.attempt);
  const history = await historyIfThere(files, agentId, record);
  const run = new LiveRun(cortex.context, writer, { plan: record.plan, record, history, soFar });
  const lives = processes.mayLive(folder);
  log.info({ agent_id: agentId, attempt: record.attempt, lives }, "taking up a run");
  cortex.takeUp(run, () => {
    if (!processes.wasStarted(folder)) return soFar.terminal ? run.finishOnly(true) : run.start();
    return run.adopt(lives && processes.stopReason(folder) === null);
  });
}

/** The source may be gone by now: then a further attempt has to do without it. */
async function historyIfThere(files: RunFiles, agentId: string, { plan }: RunRecord): Promise<Message[]> {
  try {
    return await historyOf(files, plan, agentId, () => false);
  } catch {
    return [];
  }
}

async function requestOf({ ledger, claims, requests }: RecoveryParts, agentId: string) {
  // A damaged ledger may have lost it; the claim knows its place too.
  const streamSeq = (await ledger.entry(agentId))?.stream_seq ?? claims.get(agentId)?.stream_seq;
  const data = streamSeq === undefined ? null : await requests.stored(streamSeq);
  const reading = data ? readRequest(data) : null;
  return streamSeq !== undefined && reading?.ok ? { request: reading.request, streamSeq } : null;
}
