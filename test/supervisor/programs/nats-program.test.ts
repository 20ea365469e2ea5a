import { readFileSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openBus } from "../../../bus/connection/connect.ts";
import { readBusAccess, writeBusAccess } from "../../../journal/access/endpoints.ts";
import { JournalLock } from "../../../journal/access/lock.ts";
import { readStoreHolder } from "../../../journal/access/store-holder.ts";
import { findNatsServer } from "../../../proc/os/find-program.ts";
import { identifyProcess } from "../../../proc/processes/identity.ts";
import { type Logger, logOf } from "../../../proc/logging/log.ts";
import { natsProgram } from "../../../supervisor/programs/nats-program.ts";
import { giveBusPort } from "../../support/network/bus-port.ts";
import { patienceMs } from "../../support/patience.ts";
import { ShellJournal } from "../shell-program.ts";

const said: string[] = [];
const log = logOf("test", { write: (line) => void said.push(line) }, true);

function program(journal: ShellJournal, logger: Logger = log) {
  const binary = findNatsServer();
  if (binary === null) throw new Error("no nats-server: node scripts/start/ensure-nats.ts");
  if (!readBusAccess(journal.path)) giveBusPort(journal.path);
  return natsProgram(journal.path, binary, logger);
}

const pidOf = (journal: ShellJournal) => journal.program("nats-server")?.identity?.pid ?? 0;

async function isServing(journal: ShellJournal): Promise<boolean> {
  const access = readBusAccess(journal.path);
  await using bus = await openBus(
    { url: access?.url ?? "", user: "client", password: access?.passwords["client"] },
    "client",
    patienceMs,
  );
  return bus.connection.info?.server_name === access?.server_name;
}

test("a server that lives is taken up as it is, and its clients notice nothing", async () => {
  await using journal = new ShellJournal();
  const first = journal.supervise(program(journal));
  await first.start();
  const { identity } = first.program("nats-server");
  await first.release();
  const second = journal.supervise(program(journal));
  await second.start();
  expect(second.program("nats-server").identity).toEqual(identity);
  expect(await isServing(journal)).toBe(true);
});

test("a server that serves another store, or one of another name, isn't taken for ours", async () => {
  await using journal = new ShellJournal();
  const first = journal.supervise(program(journal));
  await first.start();
  const before = readBusAccess(journal.path);
  if (!before) throw new Error("nobody knows the bus");
  const nats = program(journal);
  expect(await nats.isReady({ pid: pidOf(journal), startedAt: 0 })).toBe(true);
  await writeBusAccess(journal.path, { ...before, server_name: "another" });
  expect(await nats.isReady({ pid: pidOf(journal), startedAt: 0 })).toBe(false);
});

test("a store that is reached from another journal is one store: its server goes before another is started", async () => {
  await using one = new ShellJournal();
  await using other = new ShellJournal();
  const first = one.supervise(program(one));
  await first.start();
  const pid = pidOf(one);
  rmSync(join(other.path, ".state"), { recursive: true });
  symlinkSync(join(one.path, ".state"), join(other.path, ".state"));

  const lock = JournalLock.acquire(one.path);
  expect(JournalLock.acquire(other.path)).toBe(null);
  lock?.[Symbol.dispose]();

  await first.release();
  const second = other.supervise(program(other));
  await second.start();
  expect(identifyProcess(pid)).toBe(null);
  const holder = await one.until(() => readStoreHolder(one.path)?.identity, "who has the store is written down");
  expect(holder.pid).toBe(pidOf(other));
  expect(await isServing(other)).toBe(true);
  await second.stop();
});

test("a server whose record was lost is still known by its store", async () => {
  await using journal = new ShellJournal();
  const first = journal.supervise(program(journal));
  await first.start();
  const pid = pidOf(journal);
  await first.release();
  rmSync(join(journal.path, ".run/supervisor.json"));
  await journal.supervise(program(journal)).start();
  expect(identifyProcess(pid)).toBe(null);
  expect(await isServing(journal)).toBe(true);
});

test("nats-server takes a free port where another has its own, and says who has it", async () => {
  await using journal = new ShellJournal();
  const nats = program(journal);
  let gate = Promise.resolve();
  const launch: typeof nats.launch = (nonce) => gate.then(() => nats.launch(nonce));
  const supervisor = journal.supervise({ ...nats, launch });
  await supervisor.start();
  const { port } = new URL(readBusAccess(journal.path)?.url ?? "");
  const isTaken = Promise.withResolvers<void>();
  gate = isTaken.promise; // It isn't started again before somebody else has its port.
  supervisor.program("nats-server").signal("SIGKILL");
  await journal.until(() => journal.told("nats-server").includes("exited"), "it died");
  const taker = createServer().listen(Number(port), "127.0.0.1");
  try {
    await once(taker, "listening");
    isTaken.resolve();
    await journal.until(
      () => journal.told("nats-server").filter((event) => event === "ready").length === 2,
      "it is back",
    );
    expect(new URL(readBusAccess(journal.path)?.url ?? "").port).not.toBe(port);
    expect(await isServing(journal)).toBe(true);
    expect(said.join("")).toContain(`port ${port} is taken by pid ${process.pid}`);
  } finally {
    isTaken.resolve();
    taker.close();
  }
});

test("its passwords stand in no file that others may read, and not on its command line", async () => {
  await using journal = new ShellJournal();
  await journal.supervise(program(journal)).start();
  const { passwords } = readBusAccess(journal.path) ?? { passwords: {} };
  const commandLine = readFileSync(`/proc/${pidOf(journal)}/cmdline`, "utf8");
  for (const password of Object.values(passwords)) expect(commandLine).not.toContain(password);
});
