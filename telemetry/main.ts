/** The program `telemetry`: reads the events of runs, and sends spans and metrics of them to where the settings say. Runs go on without it. */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { openBus } from "../bus/connection/connect.ts";
import { addressAs, readBusAccess } from "../journal/access/endpoints.ts";
import { makePrivateFolders } from "../journal/config/paths.ts";
import { usableSettings } from "../journal/config/settings.ts";
import { ownLog } from "../journal/logs/program-logs.ts";
import { writeProgramRecord } from "../journal/programs/programs.ts";
import { hasTelemetryState, readTelemetryState, writeTelemetryState } from "../journal/programs/telemetry-state.ts";
import { logOf } from "../proc/logging/log.ts";
import { readEnvironment } from "../proc/programs/environment.ts";
import { packageFile } from "../proc/programs/package-file.ts";
import { reloadOnSignal } from "../proc/programs/reload-signal.ts";
import { shownUrl } from "../protocol/guards/shown-url.ts";
import { parseOwnJson } from "../protocol/json/parse-json.ts";
import { doNotRestart, exitCodes } from "../protocol/runs/exit-codes.ts";
import { deliver } from "./sending/deliver.ts";
import { Exporter } from "./sending/exporter.ts";
import { followEvents } from "./sending/follow-events.ts";
import { ReceiverLog } from "./sending/receiver-log.ts";
import { KeptTelemetry, newAfterLoss, newTelemetry } from "./sending/kept-telemetry.ts";

const programName = "telemetry";
/** How long what has ended is still sent when it is stopped. In ms. */
const leaveMs = 2000;

const { journalPath: journal, natsUrl, natsFiles } = readEnvironment();
makePrivateFolders(journal);
const log = logOf(programName, ownLog(journal, programName));
reloadOnSignal(log);

async function main(): Promise<void> {
  const { telemetry: settings } = usableSettings(journal).settings;
  if (!settings) {
    // They went, and it was started once more before the supervisor read them again.
    log.info("cortex.json has no telemetry: there is nothing to do");
    process.exitCode = doNotRestart;
    return;
  }
  const stopping = new AbortController();
  const leaving = new AbortController();
  const stop = () => {
    stopping.abort(new Error("stopping"));
    setTimeout(() => leaving.abort(new Error("stopping")), leaveMs).unref();
  };
  process.on("SIGTERM", stop).on("SIGINT", stop);
  const access = natsUrl === undefined ? readBusAccess(journal) : null;
  const address = natsUrl === undefined ? access && addressAs(access, programName) : { url: natsUrl, ...natsFiles };
  if (!address) throw new Error(`no bus for ${journal}: set NATS_URL, or start everything with cortex up`);
  await using bus = await openBus(address, programName);
  const answers = new ReceiverLog(log);
  const exporter = new Exporter({
    kept: keptNow(),
    content: settings.content === true,
    version: ownVersion(),
    save: (kept) => writeTelemetryState(journal, kept),
    deliver: (outgoing) => deliver({ settings, log, answers }, outgoing, leaving.signal),
    now: Date.now,
    log,
  });
  await writeProgramRecord(journal, programName, { pid: process.pid });
  log.info({ receiver: shownUrl(settings.otlp_url), content: settings.content === true, journal }, "ready");
  await followEvents(exporter, { bus, log }, stopping.signal);
  log.info("stopping");
  await exporter.flush();
}

/** Reads what was kept by the last start. */
function keptNow(): KeptTelemetry {
  const kept = readTelemetryState(journal, KeptTelemetry);
  if (kept) return kept;
  if (!hasTelemetryState(journal)) return newTelemetry(randomUUID(), Date.now());
  log.error(
    "what was sent so far can't be read (.state/telemetry.json): going on with the events from now on; runs that are at work are told of in part",
  );
  return newAfterLoss(randomUUID(), Date.now());
}

function ownVersion(): string {
  const { version } = parseOwnJson(readFileSync(packageFile("package.json"), "utf8")) as { version: unknown };
  return String(version);
}

try {
  await main();
} catch (error) {
  log.fatal({ err: error }, "cannot send telemetry");
  process.exitCode = exitCodes.failed;
}
