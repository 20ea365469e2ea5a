/** The private nats-server of a journal. */
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { openBus } from "../bus/connect.ts";
import { busUsers, type BusUser, serverConfig } from "../bus/server-config.ts";
import { type BusAccess, readBusAccess, writeBusAccess } from "../journal/endpoints.ts";
import { runtime, state } from "../journal/paths.ts";
import { replaceFile } from "../journal/replace-file.ts";
import { freePort } from "../proc/free-port.ts";
import type { Program } from "./program.ts";

/** NATS's own port, from the contract. */
const standardPort = 4222;

/** @param binary the nats-server to start */
export function natsProgram(journal: string, binary: string): Program {
  return {
    name: "nats-server",
    command: async () => [binary, "-c", await prepare(journal)],
    env: process.env,
    isReady: () => answers(journal),
    // It exits with 1 on TERM; INT is its clean end.
    stopSignal: "SIGINT",
    stopGraceMs: 10_000,
  };
}

/** Writes the server's configuration. Port and passwords stay the same from one start to the next where they can. */
async function prepare(journal: string): Promise<string> {
  const before = readBusAccess(journal);
  const portBefore = before ? Number(new URL(before.url).port) : standardPort;
  const port = await freePort(portBefore, standardPort);
  const passwords = Object.fromEntries(
    busUsers.map((user) => [user, before?.passwords[user] ?? randomBytes(32).toString("base64url")]),
  ) as Record<BusUser, string>;
  const access: BusAccess = {
    url: `nats://127.0.0.1:${port}`,
    server_name: `cortex-${randomBytes(6).toString("hex")}`,
    passwords,
  };
  await writeBusAccess(journal, access);
  const storeFolder = state(journal, "jetstream");
  mkdirSync(storeFolder, { recursive: true, mode: 0o700 });
  const file = runtime(journal, "nats.conf");
  const pidFile = runtime(journal, "nats.pid");
  await replaceFile(file, serverConfig({ name: access.server_name, port, storeFolder, pidFile, passwords }));
  return file;
}

/** Whether the server that was started, and no other on its port, answers and has its store open. */
async function answers(journal: string): Promise<boolean> {
  const access = readBusAccess(journal);
  if (!access) return false;
  try {
    const { url, passwords } = access;
    await using bus = await openBus({ url, user: "supervisor", password: passwords["supervisor"] }, "supervisor", 1000);
    if (bus.connection.info?.server_name !== access.server_name) return false;
    await (await bus.manager()).getAccountInfo();
    return true;
  } catch {
    return false;
  }
}
