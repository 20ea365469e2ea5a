/**
 * Notices when the bus came back with less than it had: a power cut, a flipped bit, a restored disk. The server says nothing
 * of it and uses its numbers again. The files have everything, so what is missing is published once more from them.
 */
import { statSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { claimStream } from "../../bus/claims/claims.ts";
import type { Bus } from "../../bus/connection/connect.ts";
import { hasStoredEvents } from "../../bus/events/event-tail.ts";
import type { EventPublisher } from "../../bus/events/events.ts";
import { type Ledger, ledgerStream } from "../../bus/claims/ledger.ts";
import { BusPosition, busPosition, regressed } from "../../bus/claims/position.ts";
import { type Delivery, everyStoredRequest } from "../../bus/runs/requests.ts";
import { eventStream, requestStream } from "../../bus/jetstream/streams.ts";
import { positionNotedAt, readBusPosition, writeBusPosition } from "../../journal/access/bus-position.ts";
import { FileLinesError } from "../../files/file-lines.ts";
import { runFiles } from "../../journal/runs/list-runs.ts";
import { RunReader } from "../../journal/runs/read-run.ts";
import { runState } from "../../journal/runs/run-files.ts";
import type { Logger } from "../../proc/logging/log.ts";
import { readRequest } from "../intake/read-request.ts";

/** As long as the stream keeps events: what is older is gone from it anyway. */
const keptMs = 7 * 24 * 3_600_000;

/** How often, and after how long each time, what the bus didn't take is tried again. */
const rounds = 60;
const againMs = 5000;
/** Clocks of files are a little coarse, and it takes a moment to look. */
const doubtMs = 2000;

export type PositionParts = { journal: string; bus: Bus; publisher: EventPublisher; ledger: Ledger; log: Logger };

/** Notes how far the bus has come. To be called often: what is lost since the last time isn't noticed. */
export async function notePosition({ journal, bus }: PositionParts): Promise<void> {
  if (bus.isConnected) await writeBusPosition(journal, await busPosition(bus));
}

/** Compares the bus with what was noted. Resolves with the streams that have lost something. */
export async function checkPosition(parts: PositionParts): Promise<string[]> {
  const { journal, bus, ledger, log } = parts;
  const before = BusPosition.safeParse(readBusPosition(journal)).data ?? {};
  const now = await busPosition(bus);
  const lost = regressed(before, now);
  if (lost.length === 0) return [];
  log.error({ event: "bus_regressed", before, now }, "the bus has lost what it had: publishing again from the files");
  if (lost.includes(requestStream)) await ledger.forgetPlaces(now[requestStream] ?? 0);
  return lost;
}

/**
 * Publishes what the events stream lacks of the runs that it would still keep. What it lost since it was looked at last isn't
 * known to be lost: so the runs that were written to since then are looked at always. What the bus doesn't take at once is
 * tried again for a while.
 */
export async function publishAgain(parts: PositionParts, lost: string[], signal: AbortSignal): Promise<void> {
  const { journal, log } = parts;
  const since = lost.includes(eventStream) ? 0 : (positionNotedAt(journal) ?? Date.now()) - doubtMs;
  let left = endedSince(journal, since);
  for (let round = 0; left.length > 0 && round < rounds && !signal.aborted; round++) {
    if (round > 0) await delay(againMs, undefined, { signal }).catch(() => {});
    left = await publishEach(parts, left, signal);
  }
  if (left.length > 0 && !signal.aborted) log.error({ runs: left }, "the bus doesn't have all events again");
}

/** The ended runs that the stream may still hold and whose files were written to since then. */
function endedSince(journal: string, since: number): string[] {
  const oldest = Date.now() - keptMs;
  const ids: string[] = [];
  for (const { agentId, isActive, path } of runFiles(journal)) {
    if (Number(agentId) < oldest) break;
    if (!isActive && (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= since) ids.push(agentId);
  }
  return ids;
}

/** Resolves with the runs of which the bus didn't take everything. */
async function publishEach(
  { journal, publisher, log }: PositionParts,
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
          "the file of a run can't be read: its events aren't published again",
        );
        continue;
      }
      log.warn({ agent_id: agentId, err: error }, "the bus doesn't answer: the events of a run go out again later");
      left.push(agentId);
    }
  }
  return left;
}

/**
 * Records and offers again what is known to the requests' stream alone, after the ledger or the claims were lost. What has
 * become a run anywhere isn't touched.
 */
export async function recordAgain(
  { journal, bus, log }: PositionParts,
  lost: string[],
  accept: (request: Delivery) => Promise<void>,
): Promise<void> {
  const hasLostIds = lost.includes(ledgerStream);
  if (!hasLostIds && !lost.includes(claimStream)) return;
  for await (const request of everyStoredRequest(bus)) {
    const reading = readRequest(request.data);
    const agentId = reading.ok ? reading.agentId : null;
    // Which id one got that came without is known to the ledger alone. Who takes it again may run it twice.
    if (!reading.ok || (agentId === null && hasLostIds)) continue;
    if (agentId !== null && runState(journal, agentId) === "absent" && (await hasStoredEvents(bus, agentId))) continue;
    await accept(request).catch((error: unknown) =>
      log.error({ err: error, stream_seq: request.streamSeq }, "a request couldn't be recorded again"),
    );
  }
}
