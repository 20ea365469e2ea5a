/**
 * Makes streams anew that a broken record has made useless, while nobody uses them yet: at the start. The runs' files have
 * the events; the requests' stream has what the ledger and the claims are made of; and what can still be read of the
 * requests is taken along.
 */
import type { ClaimStore } from "../../bus/claims/claims.ts";
import type { Bus } from "../../bus/connection/connect.ts";
import { damagedStreams, dropStream } from "../../bus/claims/damage.ts";
import { hasStoredEvents } from "../../bus/events/event-tail.ts";
import type { Ledger } from "../../bus/claims/ledger.ts";
import { type Delivery, everyStoredRequest, publishRequest } from "../../bus/runs/requests.ts";
import { ensureStreams, requestStream } from "../../bus/jetstream/streams.ts";
import { runState } from "../../journal/runs/run-files.ts";
import type { Logger } from "../../proc/logging/log.ts";
import { type Reading, readRequest } from "../intake/read-request.ts";

/** Drops what is useless, but for the requests. Resolves with the streams that are, or were. To be called before they are opened. */
export async function dropDamaged(bus: Bus, replicas: number, log: Logger): Promise<string[]> {
  const damaged = await damagedStreams(bus);
  if (damaged.length === 0) return [];
  log.error({ event: "bus_regressed", damaged }, "records of the bus are broken: what they held is made anew");
  for (const stream of damaged) if (stream !== requestStream) await dropStream(bus, stream);
  await ensureStreams(bus, replicas);
  return damaged;
}

export type RequestParts = { journal: string; bus: Bus; ledger: Ledger; store: ClaimStore; replicas: number };

/**
 * Makes the requests' stream anew, with those of its requests that can be read and haven't begun. Each keeps its id, and
 * gets another place. What can't be read is found to be gone when it is to be started.
 */
export async function moveRequests(parts: RequestParts): Promise<void> {
  const { bus, replicas } = parts;
  const kept: Delivery[] = [];
  for await (const request of everyStoredRequest(bus)) kept.push(request);
  const waiting: Awaited<ReturnType<typeof waitingOf>>[] = [];
  for (const request of kept) waiting.push(await waitingOf(parts, request));
  await dropStream(bus, requestStream);
  await ensureStreams(bus, replicas);
  for (const request of waiting) if (request) await publishAnew(parts, request);
}

type Kept = { reading: Extract<Reading, { ok: true }>; agentId: string | null };

/** A request that hasn't begun, with the id that it has got. */
async function waitingOf({ journal, bus, ledger }: RequestParts, { data, streamSeq }: Delivery): Promise<Kept | null> {
  const reading = readRequest(data);
  if (!reading.ok) return null;
  const agentId = reading.agentId ?? (await ledger.assigned(streamSeq));
  if (agentId === null) return { reading, agentId };
  const hasBegun = runState(journal, agentId) !== "absent" || (await hasStoredEvents(bus, agentId));
  return hasBegun || (await ledger.entry(agentId))?.ended ? null : { reading, agentId };
}

async function publishAnew({ bus, ledger, store }: RequestParts, { reading, agentId }: Kept): Promise<void> {
  const { request, hash } = reading;
  const stream_seq = await publishRequest(bus, request, hash);
  if (agentId === null) return;
  // Its old place first: no delivery may find another's there.
  await ledger.change(agentId, (entry) => ({ ...entry, stream_seq }));
  if (reading.agentId === null) await ledger.reassign(stream_seq, agentId);
  const claimed = await store.get(agentId);
  if (claimed) await store.replace(agentId, { ...claimed.claim, stream_seq }, claimed.revision);
}
