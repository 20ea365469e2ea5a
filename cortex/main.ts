/** The program `cortex`: opens what it needs, takes up what was left, then takes requests until it is told to stop. */
import { hostname } from "node:os";
import { openBus } from "../bus/connect.ts";
import { listenToControl, publishStatus } from "../bus/control.ts";
import { EventPublisher } from "../bus/events.ts";
import { Ledger } from "../bus/ledger.ts";
import { storedRequests } from "../bus/requests.ts";
import { ensureStreams } from "../bus/streams.ts";
import { activeRuns } from "../journal/active-runs.ts";
import { readBusAccess } from "../journal/endpoints.ts";
import { makePrivateFolders } from "../journal/paths.ts";
import { writeProgramRecord } from "../journal/programs.ts";
import { beat } from "../journal/run-folder.ts";
import { watchSettings } from "../journal/settings.ts";
import { watchPersonas } from "../personas/watch.ts";
import { readEnvironment } from "../proc/environment.ts";
import { findIsolation } from "../proc/isolation.ts";
import { logOf } from "../proc/log.ts";
import { recover } from "./recover.ts";
import { Cortex } from "./service.ts";

const statusEveryMs = 5000;
/** Often enough for the shortest grace that a run's watchdog knows. */
const beatEveryMs = 500;
/** How long runs may finish when cortex is stopped, unless the settings say otherwise: from the contract. */
const stopGraceSeconds = 30;

const log = logOf("cortex");
const { journalPath: journal, natsUrl, timeZone } = readEnvironment();
makePrivateFolders(journal);
const stopping = new AbortController();
const { signal } = stopping;
const watched = await watchSettings(journal, {
  signal,
  onChange: ({ warnings }) => log.info({ warnings }, "cortex.json was read again"),
  onProblem: (error) => log.warn({ err: error }, "cortex.json: the last good settings hold"),
});
const personas = await watchPersonas(journal, {
  signal,
  onProblem: (problem) =>
    log.warn({ persona: problem.name, path: problem.path, err: problem.error }, "a persona can't be read"),
});

const access = natsUrl === undefined ? readBusAccess(journal) : null;
const url = natsUrl ?? access?.url;
if (url === undefined) throw new Error(`no bus for ${journal}: set NATS_URL, or start everything with cortex up`);
await using bus = await openBus(
  { url, user: access ? "cortex" : undefined, password: access?.passwords["cortex"] },
  "cortex",
);
await ensureStreams(bus);
const publisher = new EventPublisher(bus);
const ledger = await Ledger.open(bus);
const cortex = new Cortex({
  journal,
  worker: `${hostname()}-${process.pid}`,
  timeZone,
  bus,
  publisher,
  ledger,
  log,
  isolation: await findIsolation(),
  settings: () => watched.current,
  personas,
});

const left = activeRuns(journal); // before the first beat, which makes the folder that they are looked for in
beat(journal);
const beating = setInterval(() => beat(journal), beatEveryMs);
await recover(cortex, left, { journal, bus, publisher, ledger, log });
listenToControl(bus, {
  cancel: (agentId) => cortex.cancel(agentId),
  input: (agentId, text) => cortex.input(agentId, text),
});
await bus.connection.flush(); // whoever sees that it is ready is heard
const telling = setInterval(() => publishStatus(bus, cortex.status()), statusEveryMs);

const stopped = new Promise<void>((resolve, reject) => {
  const stop = () => {
    if (signal.aborted) return cortex.kill();
    log.info({ running: cortex.status().running.length }, "stopping");
    stopping.abort();
    cortex.stop(watched.current.stop_grace_seconds ?? stopGraceSeconds).then(resolve, reject);
  };
  process.on("SIGTERM", stop).on("SIGINT", stop);
});
await writeProgramRecord(journal, "cortex", { pid: process.pid });
log.info({ journal, capacity: cortex.capacity }, "ready");
publishStatus(bus, cortex.status());

for await (const request of storedRequests(bus, signal)) {
  await cortex
    .accept(request)
    .catch((error: unknown) => log.error({ err: error }, "a request couldn't be taken; it comes again"));
}
await stopped;
clearInterval(beating);
clearInterval(telling);
log.info("stopped");
