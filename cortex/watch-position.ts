/**
 * Notices when the bus came back with less than it had: a power cut, a flipped bit, a restored disk. The server says nothing
 * of it and uses its numbers again. The files have everything, so what is missing is published once more from them.
 */
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

/** Publishes what the events stream lacks of the runs that it would still keep. */
export async function publishAgain({ journal, publisher, log }: PositionParts, lost: string[]): Promise<void> {
  if (!lost.includes(eventStream)) return;
  const oldest = Date.now() - keptMs;
  for (const { agentId, isActive } of runFiles(journal)) {
    if (Number(agentId) < oldest) break;
    const events = isActive ? [] : (readRun(journal, agentId)?.events ?? []);
    if (await publisher.catchUp(agentId, events)) continue;
    log.warn({ agent_id: agentId }, "the bus went away before it had all events again");
    break;
  }
}
