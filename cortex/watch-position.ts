/**
 * Notices when the bus came back with less than it had: a power cut, a flipped bit, a restored disk. The server says nothing
 * of it and uses its numbers again. The files have everything, so what is missing is published once more from them.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Bus } from "../bus/connect.ts";
import type { EventPublisher } from "../bus/events.ts";
import type { Ledger } from "../bus/ledger.ts";
import { BusPosition, busPosition, regressed } from "../bus/position.ts";
import { eventStream, requestStream } from "../bus/streams.ts";
import { readBusPosition, writeBusPosition } from "../journal/bus-position.ts";
import { runFiles } from "../journal/list-runs.ts";
import { readRun } from "../journal/read-run.ts";
import type { Logger } from "../proc/log.ts";

/** As long as the stream keeps events: what is older is gone from it anyway. */
const keptMs = 7 * 24 * 3_600_000;

/** How often, and after how long each time, what the bus didn't take is tried again. */
const rounds = 60;
const againMs = 5000;

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

/** Publishes what the events stream lacks of the runs that it would still keep. What the bus doesn't take at once is tried again for a while. */
export async function publishAgain(parts: PositionParts, lost: string[], signal: AbortSignal): Promise<void> {
  if (!lost.includes(eventStream)) return;
  const oldest = Date.now() - keptMs;
  let left = [...runFiles(parts.journal)]
    .filter(({ agentId, isActive }) => !isActive && Number(agentId) >= oldest)
    .map(({ agentId }) => agentId);
  for (let round = 0; left.length > 0 && round < rounds && !signal.aborted; round++) {
    if (round > 0) await delay(againMs, undefined, { signal }).catch(() => {});
    left = await publishEach(parts, left, signal);
  }
  if (left.length > 0 && !signal.aborted) parts.log.error({ runs: left }, "the bus doesn't have all events again");
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
      const events = readRun(journal, agentId)?.events ?? [];
      if (!(await publisher.catchUp(agentId, events))) left.push(agentId);
    } catch (error) {
      log.warn({ agent_id: agentId, err: error }, "the bus doesn't answer: the events of a run go out again later");
      left.push(agentId);
    }
  }
  return left;
}
