/**
 * Detects that the bus was rolled back by a power cut, a flipped bit or a restored disk. The server doesn't report it and
 * reuses its sequence numbers. The runs' files have every event, so the missing ones are published again from them.
 */
import { statSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { claimStream } from "../../bus/claims/claims.ts";
import type { Bus } from "../../bus/connection/connect.ts";
import { hasStoredEvents } from "../../bus/events/event-tail.ts";
import type { EventPublisher } from "../../bus/events/events.ts";
import { type Ledger, ledgerStream } from "../../bus/claims/ledger.ts";
import { BusPosition, busPosition, rollbacksBetween } from "../../bus/claims/position.ts";
import { type RequestDelivery, everyStoredRequest } from "../../bus/runs/requests.ts";
import { eventStream, requestStream } from "../../bus/jetstream/streams.ts";
import { positionRecordedAt, readBusPosition, writeBusPosition } from "../../journal/access/bus-position.ts";
import { FileLinesError } from "../../files/lines/file-lines.ts";
import { runFiles } from "../../journal/runs/list-runs.ts";
import { RunReader } from "../../journal/runs/read-run.ts";
import { runState } from "../../journal/runs/run-files.ts";
import type { Logger } from "../../proc/logging/log.ts";
import { readRequest } from "../intake/read-request.ts";

/** Milliseconds for which the stream keeps events. */
const keptMs = 7 * 24 * 3_600_000;

/** How often, and how far apart, a publish is retried that the bus didn't take. */
const rounds = 60;
const againMs = 5000;
/** Tolerance for the coarse clocks of file systems, and for the time that the scan takes. */
const doubtMs = 2000;

export type RollbackDeps = { journal: string; bus: Bus; publisher: EventPublisher; ledger: Ledger; log: Logger };

/** Records the streams' positions. To be called often: a loss of messages newer than the last record goes undetected. */
export async function recordPositions({ journal, bus }: RollbackDeps): Promise<void> {
  if (bus.isConnected) await writeBusPosition(journal, await busPosition(bus));
}

/** Compares the streams with the recorded positions. Resolves with the streams that were rolled back. */
export async function detectRollback(deps: RollbackDeps): Promise<string[]> {
  const { journal, bus, ledger, log } = deps;
  const before = BusPosition.safeParse(readBusPosition(journal)).data ?? {};
  const now = await busPosition(bus);
  const lost = rollbacksBetween(before, now);
  if (lost.length === 0) return [];
  log.error(
    { event: "bus_regressed", before, now },
    "the bus was rolled back: publishing the lost events again from the files",
  );
  if (lost.includes(requestStream)) await ledger.forgetPlacesAfter(now[requestStream] ?? 0);
  return lost;
}

/**
 * Publishes the events that the stream lacks of runs within its retention. A loss since the last record is not detected, so
 * runs written to since then are always compared. Publishes that the bus doesn't take are retried for a while.
 */
export async function republishEvents(deps: RollbackDeps, lost: string[], signal: AbortSignal): Promise<void> {
  const { journal, log } = deps;
  const since = lost.includes(eventStream) ? 0 : (positionRecordedAt(journal) ?? Date.now()) - doubtMs;
  let left = endedSince(journal, since);
  for (let round = 0; left.length > 0 && round < rounds && !signal.aborted; round++) {
    if (round > 0) await delay(againMs, undefined, { signal }).catch(() => {});
    left = await publishEach(deps, left, signal);
  }
  if (left.length > 0 && !signal.aborted)
    log.error({ runs: left }, "events of these runs are still missing on the bus");
}

/** Ended runs within the stream's retention whose files were written to since then. */
function endedSince(journal: string, since: number): string[] {
  const oldest = Date.now() - keptMs;
  const ids: string[] = [];
  for (const { agentId, isActive, path } of runFiles(journal)) {
    if (Number(agentId) < oldest) break;
    if (!isActive && (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= since) ids.push(agentId);
  }
  return ids;
}

/** Resolves with the runs whose events the bus didn't take completely. */
async function publishEach(
  { journal, publisher, log }: RollbackDeps,
  ids: string[],
  signal: AbortSignal,
): Promise<string[]> {
  const left: string[] = [];
  for (const agentId of ids) {
    if (signal.aborted) break;
    try {
      const reader = new RunReader(journal, agentId);
      if (!(await publisher.catchUp(agentId, (from) => reader.lines(from)))) left.push(agentId);
    } catch (error) {
      if (error instanceof FileLinesError) {
        log.error(
          { agent_id: agentId, err: error },
          "the file of a run can't be read: not publishing its events again",
        );
        continue;
      }
      log.warn({ agent_id: agentId, err: error }, "the bus doesn't answer: publishing the events of a run again later");
      left.push(agentId);
    }
  }
  return left;
}

/**
 * Accepts again each stored request that has no run anywhere, after the ledger or the claims were lost.
 */
export async function reacceptRequests(
  { journal, bus, log }: RollbackDeps,
  lost: string[],
  accept: (request: RequestDelivery) => Promise<void>,
): Promise<void> {
  const hasLostIds = lost.includes(ledgerStream);
  if (!hasLostIds && !lost.includes(claimStream)) return;
  for await (const request of everyStoredRequest(bus)) {
    const reading = readRequest(request.data);
    const agentId = reading.ok ? reading.agentId : null;
    // Only the ledger knew the id assigned to a request without one: accepting it again could run it twice.
    if (!reading.ok || (agentId === null && hasLostIds)) continue;
    if (agentId !== null && runState(journal, agentId) === "absent" && (await hasStoredEvents(bus, agentId))) continue;
    await accept(request).catch((error: unknown) =>
      log.error({ err: error, stream_seq: request.streamSeq }, "a request couldn't be accepted again"),
    );
  }
}
