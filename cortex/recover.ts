/** What an earlier cortex left: living runs are adopted, ended ones closed, waiting ones queued again. */
import type { Bus } from "../bus/connection/connect.ts";
import type { EventPublisher } from "../bus/events/events.ts";
import type { Ledger } from "../bus/claims/ledger.ts";
import { storedRequest } from "../bus/runs/requests.ts";
import { attemptFolder } from "../journal/runs/run-folder.ts";
import { runState } from "../journal/runs/run-files.ts";
import { commitRun, RunLog } from "../journal/runs/run-log.ts";
import { revokeTokensExcept } from "../journal/access/tokens.ts";
import { isAlive } from "../proc/os/identity.ts";
import type { Logger } from "../proc/logging/log.ts";
import { agentOf, exitOf, signalRun, stopReasonOf, sweepRun, wasStarted } from "../proc/runs/run.ts";
import type { Message } from "../protocol/runs/run-config.ts";
import { defaultPriority } from "../protocol/runs/request.ts";
import type { Claims } from "./claims/claims.ts";
import { chainHistory } from "./plan/history.ts";
import { LiveRun } from "./lifecycle/live-run.ts";
import { readRequest } from "./intake/read-request.ts";
import { recordOf, type RunRecord } from "./plan/run-record.ts";
import { RunSoFar } from "./limits/run-so-far.ts";
import { RunWriter } from "./output/run-writer.ts";
import type { Cortex } from "./service.ts";
import { quarantineFenced } from "./lifecycle/quarantine-fenced.ts";
import { requestLine } from "./lifecycle/starter.ts";

/** How long what couldn't be taken up waits. */
const againMs = 1000;

export type RecoveryParts = {
  journal: string;
  worker: string;
  bus: Bus;
  publisher: EventPublisher;
  ledger: Ledger;
  claims: Claims;
  log: Logger;
};

/**
 * Takes up everything, before the first new request is read.
 * @param ids the runs of which something is pending
 */
export async function recover(cortex: Cortex, ids: string[], parts: RecoveryParts): Promise<void> {
  const { journal } = parts;
  await revokeTokensExcept(journal, new Set(ids));
  for (const agentId of ids) await tryToRecover(cortex, parts, agentId);
}

/** Tries until it works: nobody else takes up what a living worker has. */
async function tryToRecover(cortex: Cortex, parts: RecoveryParts, agentId: string): Promise<void> {
  try {
    await recoverRun(cortex, parts, agentId);
  } catch (error) {
    if (await cortex.unreadable.failed(agentId, error)) return cortex.finalizer.finalizeRun(agentId);
    parts.log.error({ agent_id: agentId, err: error }, "a run couldn't be taken up; it is tried again");
    setTimeout(() => void tryToRecover(cortex, parts, agentId), againMs).unref();
  }
}

async function recoverRun(cortex: Cortex, parts: RecoveryParts, agentId: string): Promise<void> {
  const { journal, publisher, claims, log } = parts;
  const state = runState(journal, agentId);
  if (cortex.unreadable.isMissing(agentId)) return cortex.finalizer.finalizeRun(agentId);
  if (state === "absent") return cortex.lose(agentId);
  if (!(await isOurs(parts, agentId))) return fence(cortex, parts, agentId);
  if (state === "ended") {
    commitRun(journal, agentId);
    return cortex.finalizer.finalizeRun(agentId);
  }
  const record = recordOf(journal, agentId);
  const asked = record ? null : await requestOf(parts, agentId);
  const soFar = new RunSoFar();
  const { durability = "safe" } = cortex.context.settings();
  const file = await RunLog.resume(journal, agentId, durability, (event) => soFar.add(event));
  const writer = new RunWriter(journal, file, publisher, log, true);
  if (record && soFar.events === 0) await writer.write([requestLine(record.request)]);
  if (record) return takeUp(cortex, parts, writer, record, soFar);
  // Its file was claimed, and nothing more: it starts now, unless it ended before it could start. What a lost worker had
  // written may not all have been copied yet, and its finalization is still pending.
  const before = claims.before(agentId);
  if (soFar.terminal && !before.isTakenOver) {
    await writer.close();
    return cortex.finalizer.finalizeRun(agentId);
  }
  await cortex.starter.goOn(writer, asked, soFar, before);
}

/** Whether the run is still this worker's. A claim that the bus has lost is made again. */
async function isOurs({ ledger, claims, worker }: RecoveryParts, agentId: string): Promise<boolean> {
  const entry = await ledger.entry(agentId);
  if (entry?.ended) return entry.ended.worker === worker;
  if (!entry) return true;
  const { stream_seq } = entry;
  await claims.offer(agentId, { stream_seq, priority: defaultPriority, labels: [] });
  const claim = claims.get(agentId);
  return claim?.state === "queued" && claim.epoch === 0 ? claims.take(agentId) : claims.confirm(agentId);
}

/** Another worker has it: its process is killed, and what it wrote since is quarantined. */
async function fence(cortex: Cortex, { journal, log }: RecoveryParts, agentId: string): Promise<void> {
  const record = recordOf(journal, agentId);
  if (record) {
    const folder = attemptFolder(journal, agentId, record.attempt);
    signalRun(folder, "SIGKILL");
    await sweepRun(folder);
  }
  await quarantineFenced({ journal, log }, agentId, record);
  cortex.lose(agentId);
}

async function takeUp(
  cortex: Cortex,
  parts: RecoveryParts,
  writer: RunWriter,
  record: RunRecord,
  soFar: RunSoFar,
): Promise<void> {
  const { journal, log } = parts;
  const { agentId } = writer;
  const folder = attemptFolder(journal, agentId, record.attempt);
  const history = await historyOf(journal, record);
  const run = new LiveRun(cortex.context, writer, { plan: record.plan, record, history, soFar });
  const agent = agentOf(folder);
  const lives = exitOf(folder).code === null && (agent === null || isAlive(agent));
  log.info({ agent_id: agentId, attempt: record.attempt, lives }, "taking up a run");
  cortex.takeUp(run, () => {
    if (!wasStarted(folder)) return soFar.terminal ? run.finishOnly(true) : run.start();
    return run.adopt(lives && stopReasonOf(folder) === null);
  });
}

/** The source may be gone by now: then a further attempt has to do without it. */
async function historyOf(journal: string, { plan }: RunRecord): Promise<Message[]> {
  if (plan.continueFrom === undefined) return [];
  try {
    return await chainHistory(journal, plan.continueFrom, () => false);
  } catch {
    return [];
  }
}

async function requestOf({ ledger, claims, bus }: RecoveryParts, agentId: string) {
  // A damaged ledger may have lost it; the claim knows its place too.
  const streamSeq = (await ledger.entry(agentId))?.stream_seq ?? claims.get(agentId)?.stream_seq;
  const data = streamSeq === undefined ? null : await storedRequest(bus, streamSeq);
  const reading = data ? readRequest(data) : null;
  return streamSeq !== undefined && reading?.ok ? { request: reading.request, streamSeq } : null;
}
