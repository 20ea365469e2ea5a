/** The program `cortex`: opens what it needs, takes up what was left, then takes requests until it is told to stop. */
import { ClaimStore } from "../bus/claims/claims.ts";
import { openBus } from "../bus/connection/connect.ts";
import { listenToControl, publishStatus } from "../bus/runs/control.ts";
import { nats29 } from "../bus/legacy/nats-2-9.ts";
import { guardedStreams } from "../bus/claims/position.ts";
import { EventPublisher } from "../bus/events/events.ts";
import { answerGrants } from "../bus/runs/grants.ts";
import { answerMetering } from "../bus/runs/metering.ts";
import { answerPermissions } from "../bus/runs/permission-notices.ts";
import { Ledger } from "../bus/claims/ledger.ts";
import { storedRequests } from "../bus/runs/requests.ts";
import { ensureStreams, requestStream } from "../bus/jetstream/streams.ts";
import { WorkerLeases } from "../bus/claims/workers.ts";
import { activeRuns } from "../journal/runs/active-runs.ts";
import { addressAs, readBusAccess } from "../journal/access/endpoints.ts";
import { makePrivateFolders } from "../journal/config/paths.ts";
import { ownLog } from "../journal/logs/program-logs.ts";
import { writeProgramRecord } from "../journal/programs/programs.ts";
import { beatRunsFolder, warmFolder } from "../journal/run-folders/run-folder.ts";
import { watchSettings } from "../journal/config/settings.ts";
import { workerName } from "../journal/access/worker-name.ts";
import { watchPersonas } from "../personas/watch.ts";
import { readEnvironment } from "../proc/programs/environment.ts";
import { reloadOnSignal } from "../proc/programs/reload-signal.ts";
import { findIsolation } from "../proc/runs/isolation.ts";
import { logOf } from "../proc/logging/log.ts";
import { machineBytes } from "../proc/os/machine.ts";
import { longestOrphanMs } from "../proc/runs/run.ts";
import { Claims } from "./claims/claims.ts";
import { systemClock } from "./model/clock.ts";
import { keepLease } from "./claims/keep-lease.ts";
import { pruneDaily } from "./pruning.ts";
import { answerForLines } from "./replication/answer-for-lines.ts";
import { Mirror } from "./replication/mirror.ts";
import { dropDamaged, rebuildRequests } from "./replication/rebuild-streams.ts";
import { keepEventsQuick } from "./replication/quick-events.ts";
import { Cortex } from "./service.ts";
import { bootCortex, takeRequests } from "./boot.ts";
import type { CortexDeps } from "./deps.ts";
import { DiskWatch } from "./limits/disk-watch.ts";
import { ResourceWatch } from "./limits/resource-watch.ts";
import { UsageStore } from "./limits/usage-store.ts";
import { detectRollback, recordPositions, republishEvents, reacceptRequests } from "./replication/detect-rollback.ts";
import { gracesOf } from "./process/run-command.ts";
import { defaultResources } from "./plan/resource-limits.ts";
import { busRequests } from "./ports/bus-requests.ts";
import { journalFiles } from "./ports/run-files.ts";
import { journalProcesses } from "./ports/run-processes.ts";
import { defaultKind } from "./process/expected-kind.ts";
import { WarmPool } from "./process/warm-pool.ts";
import { mostWarm } from "./process/warm-size.ts";

/** A server that takes the connection and says nothing is held up; one that isn't there is known at once. */
const connectMs = 20_000;
const statusEveryMs = 5000;
/** Often enough for the shortest grace that a run's watchdog knows. */
const beatEveryMs = 500;
/** After so much silence a worker counts as gone, unless the settings say otherwise: longer than a cluster takes to find a new leader. */
const leaseSeconds = 30;
/**
 * Seconds for which runs may finish when cortex is stopped, unless the settings say otherwise: from docs/contract.md.
 */
const stopGraceSeconds = 30;

const { journalPath: journal, natsUrl, natsFiles, labels, timeZone } = readEnvironment();
makePrivateFolders(journal);
/** Once everything is closed. */
const leaveMs = 500;

const log = logOf("cortex", ownLog(journal, "cortex"));
const rereads = reloadOnSignal(log);
const stopping = new AbortController();
const { signal } = stopping;
const watched = await watchSettings(journal, {
  signal,
  onChange: () => log.info("cortex.json was read again"),
  onProblem: (error) => log.error({ err: error }, "cortex.json can't be used: keeping the previous settings"),
});
const settings = () => ({ ...watched.current, labels: [...new Set([...(watched.current.labels ?? []), ...labels])] });
const personas = await watchPersonas(journal, {
  signal,
  onProblem: (problem) =>
    log.warn({ persona: problem.name, path: problem.path, err: problem.error }, "a persona can't be read"),
});
rereads.push({ what: "cortex.json", reload: watched.reload }, { what: "personas", reload: personas.reload });

const access = natsUrl === undefined ? readBusAccess(journal) : null;
const address = natsUrl === undefined ? access && addressAs(access, "cortex") : { url: natsUrl, ...natsFiles };
if (!address) throw new Error(`no bus for ${journal}: set NATS_URL, or start everything with cortex up`);
await using bus = await openBus(address, "cortex", connectMs);
bus.configDrift.onDifference((difference) =>
  log.warn({ event: "bus_option_ignored", difference }, "the bus's server ignored an option"),
);
const replicas = watched.current.bus?.replicas ?? 1;
await ensureStreams(bus, replicas);
const damaged = access === null ? [] : await dropDamaged(bus, replicas, log);
const worker = workerName(journal);
const leases = await WorkerLeases.open(bus, (watched.current.lease_seconds ?? leaseSeconds) * 1000, replicas);
const ledger = await Ledger.open(bus, replicas);
using usage = await UsageStore.open({ journal, timeZone, settings: () => watched.current, bus, log });
const store = await ClaimStore.open(bus, replicas);
if (damaged.includes(requestStream)) await rebuildRequests({ journal, bus, ledger, store, replicas });
const claims = new Claims({
  store,
  leases,
  worker,
  longestOrphanMs: () => longestOrphanMs(gracesOf(watched.current)),
  log,
});
const publisher = new EventPublisher(
  bus,
  (agentId) => leases.isFresh && claims.maySpeak(agentId),
  (agentId) => claims.get(agentId)?.epoch ?? 0,
);
const isMirror = settings().bus?.mirror ?? access !== null;
const mirror = isMirror ? new Mirror({ journal, worker, bus, ledger, claims, leases, log }) : null;
const warm = new WarmPool({
  folder: warmFolder(journal),
  max: () => mostWarm(settings(), cortex.capacity, machineBytes()),
  log,
});
const isolation = await findIsolation();
const resources = defaultResources(machineBytes());
const deps: CortexDeps = {
  ports: {
    clock: systemClock,
    files: journalFiles(journal),
    processes: journalProcesses(journal, isolation, warm),
    requests: busRequests(bus),
    publisher,
    ledger,
    leases,
  },
  host: {
    journal,
    worker,
    timeZone,
    resources,
    resourceWatch: new ResourceWatch(),
    diskWatch: new DiskWatch(journal, log),
  },
  shared: { bus, isPrivateBus: access !== null, claims, usage, mirror },
  log,
  settings,
  personas,
};
const cortex: Cortex = new Cortex(deps);
void warm.clear();

const left = activeRuns(journal); // before the first beat, which makes the folder that they are looked for in
beatRunsFolder(journal);
const beating = setInterval(() => beatRunsFolder(journal), beatEveryMs);
const around = { journal, bus, publisher, ledger, log };
/** Gives the bus again what it has lost. */
async function makeUpFor(lost: string[]): Promise<void> {
  try {
    await reacceptRequests(around, lost, (request) => cortex.accept(request));
    await republishEvents(around, lost, signal);
  } catch (error) {
    log.error({ err: error }, "not all that the bus has lost could be published again");
  }
}
const timers: NodeJS.Timeout[] = [beating];
let renewing: Disposable | undefined;
let mirroring: Promise<void> | undefined;
const stopped = Promise.withResolvers<void>();

await bootCortex(cortex, deps, {
  leftRuns: () => left,
  async keepLease(lease) {
    renewing = await keepLease(leases, bus, {
      ...lease,
      whoWeAre: () => ({ worker, labels: settings().labels, capacity: cortex.capacity }),
      onProblem: (error) => log.warn({ err: error }, "the worker's lease couldn't be renewed"),
    });
  },
  async followClaims(onChange) {
    await claims.follow(signal, (agentId, claim) => {
      onChange(agentId, claim);
      mirror?.claimChanged(agentId, claim);
    });
    answerForLines(bus, journal, worker, isMirror);
    mirroring = mirror?.follow(signal);
  },
  async detectLosses(onceMore) {
    if (onceMore && access !== null && (await nats29.damagedStreams(bus, guardedStreams)).length > 0) startAnew();
    return [...(onceMore ? [] : damaged), ...(await detectRollback(around))];
  },
  makeUpFor: (lost) => void makeUpFor(lost),
  listen,
  every: (ms, what) => void timers.push(setInterval(what, ms)),
});
if (access !== null) void keepEventsQuick(journal, log);
warm.expect(() => defaultKind(settings(), isolation, resources)); // for the first run that wants nothing special
pruneDaily(journal, () => watched.current, log, signal);
await writeProgramRecord(journal, "cortex", { pid: process.pid });
log.info({ journal, capacity: cortex.capacity }, "ready");
publishStatus(bus, cortex.status());

await takeRequests(cortex, storedRequests(bus, signal), log);
await stopped.promise;
await warm.close();
await mirroring;
for (const timer of timers) clearInterval(timer);
renewing?.[Symbol.dispose]();
await leases.end(worker).catch((error: unknown) => log.warn({ err: error }, "the lease lapses by itself"));
log.info("stopped");
// A connection that was being made to somebody who doesn't answer would keep the process.
setTimeout(() => process.exit(), leaveMs).unref();

/** Hears what clients and runs say, and the signals to stop; tells how it goes from now on. */
async function listen(): Promise<void> {
  listenToControl(bus, {
    cancel: (agentId) => cortex.cancel(agentId),
    input: (agentId, input, from) => cortex.input(agentId, input, from),
  });
  answerGrants(bus, async (agentId, request) => {
    try {
      return await cortex.grant(agentId, request);
    } catch (error) {
      log.error({ agent_id: agentId, err: error }, "a share of a run's limits couldn't be given");
      return null; // whoever asked asks again
    }
  });
  answerPermissions(bus, async (agentId, notice) => {
    try {
      return await cortex.permission(agentId, notice);
    } catch (error) {
      log.error({ agent_id: agentId, err: error }, "a question about a call couldn't be taken");
      return null; // whoever told of it tells again
    }
  });
  answerMetering(bus, async (agentId, notice) => {
    try {
      return await cortex.metering(agentId, notice);
    } catch (error) {
      log.error({ agent_id: agentId, err: error }, "a model call couldn't be metered");
      return null; // the gateway asks, or tells, again
    }
  });
  await bus.connection.flush(); // whoever sees that it is ready is heard
  timers.push(setInterval(tell, statusEveryMs));
  process.on("SIGTERM", stop).on("SIGINT", stop);
}

function tell(): void {
  publishStatus(bus, cortex.status());
  recordPositions(around).catch((error: unknown) =>
    log.warn({ err: error }, "the bus's position couldn't be recorded"),
  );
  cortex.erasure.checkRoom().catch((error: unknown) => log.debug({ err: error }, "how full the bus is isn't known"));
}

/** Lets runs finish; the second time it kills them. */
function stop(): void {
  if (signal.aborted) return cortex.kill();
  log.info({ running: cortex.status().running.length }, "stopping");
  stopping.abort();
  cortex.stop(watched.current.stop_grace_seconds ?? stopGraceSeconds).then(stopped.resolve, stopped.reject);
}

/** Ends this process, since broken records are repaired at a start. Runs don't notice. */
function startAnew(): never {
  log.error("records of the bus are broken: cortex starts anew, to make it whole again");
  process.exit(1);
}
