/** The program through which programs of others reach their models. It is ready when `.run/programs/gateway.json` names its pid. */
import { once } from "node:events";
import { existsSync } from "node:fs";
import { openBus } from "../bus/connection/connect.ts";
import { tellMetering } from "../bus/runs/metering.ts";
import { addressAs, readBusAccess } from "../journal/access/endpoints.ts";
import { makePrivateFolders } from "../journal/config/paths.ts";
import { watchSettings } from "../journal/config/settings.ts";
import { ownLog } from "../journal/logs/program-logs.ts";
import { portsToTry } from "../journal/programs/ports-to-try.ts";
import { writeProgramRecord } from "../journal/programs/programs.ts";
import { endedFile } from "../journal/runs/run-files.ts";
import { logOf } from "../proc/logging/log.ts";
import { readEnvironment } from "../proc/programs/environment.ts";
import { reloadOnSignal } from "../proc/programs/reload-signal.ts";
import { exitCodes } from "../protocol/runs/exit-codes.ts";
import { openGatewayServer } from "./http/http-server.ts";
import { usualIdleMs } from "./http/upstream.ts";
import { Meter } from "./metering/meter.ts";
import { usualGatewayPort } from "./usual-port.ts";

const programName = "gateway";
/** How long ends of calls that were cut off are told when it is stopped. */
const leaveMs = 2000;

const { journalPath: journal, natsUrl, natsFiles, gatewayPort } = readEnvironment();
makePrivateFolders(journal);
const log = logOf(programName, ownLog(journal, programName));
const rereads = reloadOnSignal(log);

async function main(): Promise<void> {
  const stopped = Promise.race([once(process, "SIGTERM"), once(process, "SIGINT")]);
  const stopping = new AbortController();
  const watched = await watchSettings(journal, {
    signal: stopping.signal,
    onChange: () => log.info("cortex.json was read again"),
    onProblem: (error) => log.error({ err: error }, "cortex.json can't be used: keeping the previous settings"),
  });
  rereads.push({ what: "cortex.json", reload: watched.reload });
  const access = natsUrl === undefined ? readBusAccess(journal) : null;
  const address = natsUrl === undefined ? access && addressAs(access, programName) : { url: natsUrl, ...natsFiles };
  if (!address) throw new Error(`no bus for ${journal}: set NATS_URL, or start everything with cortex up`);
  await using bus = await openBus(address, programName);
  const meter = new Meter({
    tell: (agentId, notice) => tellMetering(bus, agentId, notice),
    isOver: ({ agent_id }) => Promise.resolve(existsSync(endedFile(journal, agent_id))),
    log,
  });
  const ports = await portsToTry(journal, {
    program: programName,
    asked: gatewayPort,
    ofSettings: ({ gateway }) => gateway?.port,
    usual: usualGatewayPort,
    onProblem: (error) =>
      log.warn({ err: error }, "cortex.json can't be read: using the usual port (check it: cortex config check)"),
  });
  const variables = (backend: string) => ({ ...process.env, ...watched.current.backends?.[backend]?.env });
  {
    await using server = await openGatewayServer(ports, { journal, meter, variables, idleMs: usualIdleMs, log });
    await writeProgramRecord(journal, programName, { pid: process.pid, url: server.url });
    log.info({ url: server.url, journal }, "ready");
    await stopped;
    log.info("stopping");
  }
  await meter.settled(leaveMs);
  stopping.abort();
}

try {
  await main();
} catch (error) {
  log.fatal({ err: error }, "cannot serve the gateway");
  process.exitCode = exitCodes.failed;
}
