/**
 * Rebuilds streams that a broken record has made useless, at the start, while nobody uses them. The runs' files have the
 * events; the ledger and the claims follow from the requests' stream; and readable requests move to its successor. Only
 * nats-server 2.9 needs it: see `bus/legacy/`.
 */
import type { ClaimStore } from "../../bus/claims/claims.ts";
import type { Ledger } from "../../bus/claims/ledger.ts";
import { guardedStreams } from "../../bus/claims/position.ts";
import type { Bus } from "../../bus/connection/connect.ts";
import { hasStoredEvents } from "../../bus/events/event-tail.ts";
import { dropStream } from "../../bus/jetstream/drop-stream.ts";
import { ensureStreams, requestStream } from "../../bus/jetstream/streams.ts";
import { nats29 } from "../../bus/legacy/nats-2-9.ts";
import { type RequestDelivery, everyStoredRequest, publishRequest } from "../../bus/runs/requests.ts";
import { runState } from "../../journal/runs/run-files.ts";
import type { Logger } from "../../proc/logging/log.ts";
import { type ReadRequest, readRequest } from "../intake/read-request.ts";

/** Drops the damaged streams, except the requests'. Resolves with the names of all damaged ones. To be called before any is opened. */
export async function dropDamaged(bus: Bus, replicas: number, log: Logger): Promise<string[]> {
  const damaged = await nats29.damagedStreams(bus, guardedStreams);
  if (damaged.length === 0) return [];
  log.error({ event: "bus_regressed", damaged }, "records of the bus are broken: rebuilding its streams");
  for (const stream of damaged) if (stream !== requestStream) await dropStream(bus, stream);
  await ensureStreams(bus, replicas);
  return damaged;
}

export type RebuildDeps = { journal: string; bus: Bus; ledger: Ledger; store: ClaimStore; replicas: number };

/**
 * Rebuilds the requests' stream with those requests that can be read and haven't begun. Each keeps its id and gets a new
 * sequence number. A request that can't be read is found to be missing when it is to be started.
 */
export async function rebuildRequests(deps: RebuildDeps): Promise<void> {
  const { bus, replicas } = deps;
  const stored: RequestDelivery[] = [];
  for await (const request of everyStoredRequest(bus)) stored.push(request);
  const waiting: Awaited<ReturnType<typeof waitingOf>>[] = [];
  for (const request of stored) waiting.push(await waitingOf(deps, request));
  await dropStream(bus, requestStream);
  await ensureStreams(bus, replicas);
  for (const request of waiting) if (request) await publishAnew(deps, request);
}

type WaitingRequest = { reading: Extract<ReadRequest, { ok: true }>; agentId: string | null };

/** A request that hasn't begun, with the id that was assigned to it; null for any other. */
async function waitingOf(
  { journal, bus, ledger }: RebuildDeps,
  { data, streamSeq }: RequestDelivery,
): Promise<WaitingRequest | null> {
  const reading = readRequest(data);
  if (!reading.ok) return null;
  const agentId = reading.agentId ?? (await ledger.assigned(streamSeq));
  if (agentId === null) return { reading, agentId };
  const hasBegun = runState(journal, agentId) !== "absent" || (await hasStoredEvents(bus, agentId));
  return hasBegun || (await ledger.entry(agentId))?.ended ? null : { reading, agentId };
}

async function publishAnew({ bus, ledger, store }: RebuildDeps, { reading, agentId }: WaitingRequest): Promise<void> {
  const { request, hash } = reading;
  const stream_seq = await publishRequest(bus, request, hash);
  if (agentId === null) return;
  // The ledger first: a delivery mustn't find another request at the old sequence number.
  await ledger.change(agentId, (entry) => ({ ...entry, stream_seq }));
  if (reading.agentId === null) await ledger.reassign(stream_seq, agentId);
  const stored = await store.get(agentId);
  if (stored) await store.replace(agentId, { ...stored.claim, stream_seq }, stored.revision);
}
