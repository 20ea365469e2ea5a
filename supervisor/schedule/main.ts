/** The program `schedule`: opens what it needs, then looks at the clock until it is told to stop. Runs go on without it. */
import { openBus } from "../../bus/connection/connect.ts";
import { ScheduleLedger } from "../../bus/schedule/schedule-ledger.ts";
import { activityOn } from "../../journal/notes/activity.ts";
import { addressAs, readBusAccess } from "../../journal/access/endpoints.ts";
import { makePrivateFolders } from "../../journal/config/paths.ts";
import { ownLog } from "../../journal/logs/program-logs.ts";
import { noteScheduleDecided } from "../../journal/programs/schedule-decided.ts";
import { writeProgramRecord } from "../../journal/programs/programs.ts";
import { watchSettings } from "../../journal/config/settings.ts";
import { watchPersonas } from "../../personas/watch.ts";
import { readEnvironment } from "../../proc/programs/environment.ts";
import { reloadOnSignal } from "../../proc/programs/reload-signal.ts";
import { logOf } from "../../proc/logging/log.ts";
import { runWork } from "../../schedule/units/run-work.ts";
import { Scheduler } from "./scheduler.ts";
import { WakeUpSender } from "./send-wake-ups.ts";
import { risingTs, titlesIn, workFor } from "../../schedule/units/work-for.ts";

/** Timers stop while the machine sleeps and none waits long: the wall clock is looked at instead. */
const tickMs = 15_000;

const { journalPath: journal, natsUrl, natsFiles, timeZone } = readEnvironment();
makePrivateFolders(journal);
/** Once everything is closed. */
const leaveMs = 500;

const log = logOf("schedule", ownLog(journal, "schedule"));
const rereads = reloadOnSignal(log);
const stopping = new AbortController();
const { signal } = stopping;
const stopped = new Promise<void>((resolve) => {
  const stop = () => {
    stopping.abort(new Error("stopping"));
    resolve();
  };
  process.on("SIGTERM", stop).on("SIGINT", stop);
});
let tick = () => {};
const watched = await watchSettings(journal, {
  signal,
  onChange: () => {
    log.info("cortex.json was read again");
    tick();
  },
  onProblem: (error) => log.error({ err: error }, "cortex.json can't be used: keeping the previous settings"),
});
const personas = await watchPersonas(journal, {
  signal,
  onProblem: (problem) =>
    log.warn({ persona: problem.name, path: problem.path, err: problem.error }, "a persona can't be read"),
});

const access = natsUrl === undefined ? readBusAccess(journal) : null;
const address = natsUrl === undefined ? access && addressAs(access, "schedule") : { url: natsUrl, ...natsFiles };
if (!address) throw new Error(`no bus for ${journal}: set NATS_URL, or start everything with cortex up`);
await using bus = await openBus(address, "schedule");
const ledger = await ScheduleLedger.open(bus, () => noteScheduleDecided(journal));
const nextTs = risingTs(Date.now);
const onNobody = () => log.warn("no cortex takes requests");
const scheduler = await Scheduler.start({
  timeZone,
  ledger,
  log,
  settings: () => watched.current,
  personas,
  activityOn: (day) => activityOn(journal, day),
  workFor: (turn) =>
    workFor(turn, {
      settings: watched.current,
      persona: personas.get,
      facetTitle: titlesIn(journal),
      nextTs,
    }),
  runWork: (work) => runWork(work, { bus, journal, now: Date.now, onNobody, signal }),
  now: Date.now,
  signal,
});

const waker = new WakeUpSender({ journal, bus, timeZone, settings: () => watched.current, log });

tick = () => {
  waker.tick().catch((error: unknown) => {
    if (!signal.aborted) log.warn({ err: error }, "couldn't wake agents; it is tried again");
  });
  scheduler.tick().catch((error: unknown) => {
    if (!signal.aborted) log.warn({ err: error }, "couldn't look; it is tried again");
  });
};
rereads.push(
  { what: "cortex.json", reload: watched.reload },
  { what: "personas", reload: personas.reload },
  { what: "the clock", reload: () => tick() },
);
bus.onReconnect(() => tick());
await scheduler.tick();
const ticking = setInterval(tick, tickMs);
await writeProgramRecord(journal, "schedule", { pid: process.pid });
log.info({ journal, time_zone: timeZone }, "ready");
await stopped;
clearInterval(ticking);
log.info("stopping");
// A connection that was being made to somebody who doesn't answer would keep the process.
setTimeout(() => process.exit(), leaveMs).unref();
