/** The program `channel-<type>`: runs one adapter until it is told to stop, so that one that hangs hangs alone. */
import { openBus } from "../bus/connection/connect.ts";
import { ChannelSecretError } from "../journal/channels/channel-secret.ts";
import { addressAs, readBusAccess } from "../journal/access/endpoints.ts";
import { Outbox } from "../journal/channels/outbox.ts";
import { makePrivateFolders } from "../journal/config/paths.ts";
import { ownLog } from "../journal/logs/program-logs.ts";
import { writeProgramRecord } from "../journal/programs/programs.ts";
import { SettingsError, usableSettings } from "../journal/config/settings.ts";
import { readEnvironment } from "../proc/programs/environment.ts";
import { reloadOnSignal } from "../proc/programs/reload-signal.ts";
import { logOf } from "../proc/logging/log.ts";
import { AdapterType, adapterProgram } from "../protocol/agents/channel-settings.ts";
import { doNotRestart, exitCodes } from "../protocol/runs/exit-codes.ts";
import { openers } from "./openers.ts";
import { runAdapter } from "./adapter/run-adapter.ts";

/** Once everything is closed. */
const leaveMs = 500;

const type = AdapterType.parse(process.argv[3]);
const environment = readEnvironment();
const { journalPath: journal, natsUrl, natsFiles } = environment;
makePrivateFolders(journal);
const program = adapterProgram(type);
const log = logOf(program, ownLog(journal, program));
reloadOnSignal(log); // nothing is read: the supervisor starts an adapter anew when its settings change
const stopping = new AbortController();
const stop = () => {
  log.info("stopping");
  stopping.abort();
};
process.on("SIGTERM", stop).on("SIGINT", stop);

async function main(): Promise<void> {
  const access = natsUrl === undefined ? readBusAccess(journal) : null;
  const address = natsUrl === undefined ? access && addressAs(access, program) : { url: natsUrl, ...natsFiles };
  if (!address) throw new Error(`no bus for ${journal}: set NATS_URL, or start everything with cortex up`);
  const settings = usableSettings(journal).settings.channels?.[type] ?? {};
  const open = await openers[type]();
  await using bus = await openBus(address, program);
  using outbox = new Outbox(journal, type);
  const { signal } = stopping;
  const adapter = await open({ journal, settings, environment, env: process.env, bus, outbox, log, signal });
  await runAdapter({
    adapter,
    bus,
    outbox,
    log,
    onReady: async ({ url }) => {
      await writeProgramRecord(journal, program, { pid: process.pid, ...(url === undefined ? {} : { url }) });
      log.info({ url, journal }, "ready");
    },
    signal,
  });
}

try {
  await main();
} catch (error) {
  log.fatal({ err: error }, `cannot go on with the channel ${type}`);
  const isHopeless = error instanceof SettingsError || error instanceof ChannelSecretError;
  process.exitCode = isHopeless ? doNotRestart : exitCodes.failed;
}
// A connection that was being made to somebody who doesn't answer would keep the process.
setTimeout(() => process.exit(), leaveMs).unref();
