/** What an earlier cortex left: living runs are adopted, ended ones closed, waiting ones queued again. */
import type { Bus } from "../bus/connect.ts";
import type { EventPublisher } from "../bus/events.ts";
import type { Ledger } from "../bus/ledger.ts";
import { storedRequest } from "../bus/requests.ts";
import { attemptFolder, dropRunFolder } from "../journal/run-folder.ts";
import { runState } from "../journal/run-files.ts";
import { commitRun, RunLog } from "../journal/run-log.ts";
import { revokeTokensExcept } from "../journal/tokens.ts";
import { isAlive } from "../proc/identity.ts";
import type { Logger } from "../proc/log.ts";
import { agentOf, exitOf, stopReasonOf, wasStarted } from "../proc/run.ts";
import { type AgentEvent, isTerminal } from "../protocol/event.ts";
import type { Message } from "../protocol/run-config.ts";
import { chainHistory } from "./history.ts";
import { LiveRun } from "./live-run.ts";
import { readRequest } from "./read-request.ts";
import { recordOf, type RunRecord } from "./run-record.ts";
import { RunWriter } from "./run-writer.ts";
import { type Cortex, requestLine } from "./service.ts";

export type RecoveryParts = { journal: string; bus: Bus; publisher: EventPublisher; ledger: Ledger; log: Logger };

/**
 * Takes up everything, before the first new request is read.
 * @param ids the runs of which something is owed
 */
export async function recover(cortex: Cortex, ids: string[], parts: RecoveryParts): Promise<void> {
  const { journal, log } = parts;
  await revokeTokensExcept(journal, new Set(ids));
  for (const agentId of ids) {
    try {
      await recoverRun(cortex, parts, agentId);
    } catch (error) {
      log.error({ agent_id: agentId, err: error }, "a run couldn't be taken up");
    }
  }
  await recoverQueue(cortex, parts);
}

async function recoverRun(cortex: Cortex, parts: RecoveryParts, agentId: string): Promise<void> {
  const { journal, publisher, log } = parts;
  const state = runState(journal, agentId);
  if (state === "absent") return dropRunFolder(journal, agentId);
  if (state === "ended") {
    commitRun(journal, agentId);
    return cortex.owed.pay(agentId);
  }
  const { log: file, events } = RunLog.resume(journal, agentId);
  const writer = new RunWriter(journal, file, publisher, log, true);
  const record = recordOf(journal, agentId);
  if (record && events.length === 0) await writer.write([requestLine(record.request)]);
  if (record) return takeUp(cortex, parts, writer, record, events);
  if (events.some(isTerminal)) {
    writer.close();
    return cortex.owed.pay(agentId);
  }
  // Its file was claimed, and nothing more: it starts now.
  await cortex.startClaimed(writer, await requestOf(parts, agentId), events);
}

function takeUp(
  cortex: Cortex,
  parts: RecoveryParts,
  writer: RunWriter,
  record: RunRecord,
  events: AgentEvent[],
): void {
  const { journal, log } = parts;
  const { agentId } = writer;
  const folder = attemptFolder(journal, agentId, record.attempt);
  const run = new LiveRun(cortex.host, writer, record.plan, record, historyOf(journal, record), events);
  const agent = agentOf(folder);
  const lives = exitOf(folder).code === null && (agent === null || isAlive(agent));
  log.info({ agent_id: agentId, attempt: record.attempt, lives }, "taking up a run");
  cortex.takeUp(run, () => {
    if (!wasStarted(folder)) return events.some(isTerminal) ? run.settleOnly() : run.start();
    return run.adopt(lives && stopReasonOf(folder) === null);
  });
}

/** The source may be gone by now: then a further attempt has to do without it. */
function historyOf(journal: string, { plan }: RunRecord): Message[] {
  if (plan.continueFrom === undefined) return [];
  try {
    return chainHistory(journal, plan.continueFrom, () => false);
  } catch {
    return [];
  }
}

async function requestOf({ ledger, bus }: RecoveryParts, agentId: string) {
  const entry = await ledger.entry(agentId);
  const data = entry && (await storedRequest(bus, entry.stream_seq));
  const reading = data ? readRequest(data) : null;
  return entry && reading?.ok ? { request: reading.request, streamSeq: entry.stream_seq } : null;
}

async function recoverQueue(cortex: Cortex, { ledger, bus, log }: RecoveryParts): Promise<void> {
  // Those that cortex itself has yet to publish stand in no stream: their parents' folders have them.
  const stored = [...(await ledger.queued())].filter(([, { stream_seq }]) => stream_seq > 0);
  const waiting = stored.toSorted(([, a], [, b]) => a.stream_seq - b.stream_seq);
  for (const [agentId, { stream_seq }] of waiting) {
    const data = await storedRequest(bus, stream_seq);
    const reading = data && readRequest(data);
    if (reading?.ok) cortex.enqueue({ agentId, request: reading.request, streamSeq: stream_seq });
    else log.error({ agent_id: agentId, stream_seq }, "a waiting request is no longer in the stream");
  }
}
