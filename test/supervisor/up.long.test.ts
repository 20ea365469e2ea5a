import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readEndpoints } from "../../journal/access/endpoints.ts";
import { liveRunsFolder, warmFolder } from "../../journal/run-folders/run-folder.ts";
import { logFile } from "../../journal/logs/program-logs.ts";
import { readSupervised } from "../../journal/programs/supervised.ts";
import { identifyProcess, isAlive } from "../../proc/processes/identity.ts";
import { isAgentAlive as isThere } from "../../proc/runs/run.ts";
import { isTerminal } from "../../protocol/runs/event.ts";
import { SupervisorEvent } from "../../protocol/programs/supervisor-event.ts";
import { leftOf, processesOf } from "../support/journal-processes.ts";
import { noSmallDisk, SmallDisk } from "../support/files/small-disk.ts";
import { type CountingRun, lives, programNames, UpJournal } from "./up-process.ts";

/** For tests that start a whole system, and wait for many things one after the other. */
/** A run that went on as if nothing had happened. */
async function expectUnharmed(journal: UpJournal, run: CountingRun): Promise<void> {
  const events = await journal.end(run);
  const counted = events.flatMap(({ event, text }) => (event === "text" ? [String(text)] : []));
  expect(counted).toEqual(counted.map((_, index) => String(index + 1)));
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(events.map(({ event }) => event)).toContain("adopted");
  expect(events.filter(isTerminal)).toHaveLength(1);
  expect(events.at(-1)).toMatchObject({ event: "finish", result: String(counted.length) });
  expect(readFileSync(run.births, "utf8")).toBe("started\n");
}

test("a running cortex up says where it is, and TERM leaves no process and no endpoints", async () => {
  // The tools are a while behind the bus.
  const wait = `if (process.argv[2] === "mcp-tools/main") {
    const { existsSync } = await import("node:fs");
    while (!existsSync(process.env.JOURNAL_PATH + "/go")) await new Promise((go) => setTimeout(go, 10));
  }`;
  const waiting = `--import=data:text/javascript,${encodeURIComponent(wait)}`;
  await using journal = new UpJournal({}, { NODE_OPTIONS: waiting });
  const up = journal.start();
  await journal.until(() => journal.isReady("nats-server") && journal.isReady("cortex"), "the bus and cortex");
  expect(readEndpoints(journal.path)).toBe(null);
  writeFileSync(join(journal.path, "go"), "");
  const first = await journal.until(() => readEndpoints(journal.path), "endpoints");
  expect(first.mcp_url).toMatch(/^http:/);
  await up.isUp();
  const endpoints = readEndpoints(journal.path);
  expect(up.output).toContain(`bus      ${endpoints?.nats_url}`);
  expect(endpoints).toMatchObject({ pid: up.pid, nats_user: "client" });
  expect(statSync(join(journal.path, ".run/endpoints.json")).mode & 0o777).toBe(0o600);
  const programs = await journal.until(() => {
    const known = readSupervised(journal.path)?.programs ?? [];
    return known.every(({ state }) => state === "ready") && known;
  }, "all are ready");
  expect(programs.map(({ name }) => name)).toEqual(programNames);
  expect(programs.every(({ identity }) => identity && isAlive(identity))).toBe(true);
  expect(await up.stop()).toBe(0);
  expect(processesOf(journal.path)).toEqual([]);
  expect(readEndpoints(journal.path)).toBe(null);
});

test("a second one on the same journal is refused, and the first isn't disturbed", async () => {
  await using journal = new UpJournal();
  const first = journal.start();
  await first.isUp();
  const before = readSupervised(journal.path);
  const second = journal.start();
  expect(await second.exited).toBe(3);
  expect(second.output).toContain(`another cortex up runs on ${journal.path}, pid ${first.pid}`);
  expect(second.output).toContain("--replace");
  expect(readSupervised(journal.path)).toEqual(before);
});

test("a cortex up that replaces another leaves its runs running, and adopts them", async () => {
  await using journal = new UpJournal();
  const first = journal.start();
  await first.isUp();
  const run = await journal.count();
  const second = journal.start("--replace");
  expect(await first.exited).toBe(0);
  expect(first.output).toContain("replaced: another cortex up takes over");
  await second.isUp();
  expect(lives(run)).toBe(true);
  expect(readEndpoints(journal.path)?.pid).toBe(second.pid);
  await expectUnharmed(journal, run);
});

test("a cortex up that was killed with -9 takes nothing with it: the next takes up what lives, with the same pids", async () => {
  await using journal = new UpJournal();
  const first = journal.start();
  await first.isUp();
  const run = await journal.count();
  const pids = journal.pids();
  first.signal("SIGKILL");
  await first.exited;
  const second = journal.start();
  await second.isUp();
  expect(journal.pids()).toEqual(pids);
  for (const [name, pid] of Object.entries(pids)) expect(second.output).toContain(`${name} runs already, pid ${pid}`);
  expect(readEndpoints(journal.path)?.pid).toBe(second.pid);
  expect(lives(run)).toBe(true);
  const events = await journal.end(run);
  expect(events.filter(isTerminal)).toHaveLength(1);
  expect(events.map(({ event }) => event)).not.toContain("adopted");
  expect(readFileSync(run.births, "utf8")).toBe("started\n");
  // What was taken up is kept like any other.
  journal.kill("mcp-tools");
  await journal.until(() => journal.program("mcp-tools")?.restarts === 1 && journal.isReady("mcp-tools"), "it is back");
  expect(await second.stop()).toBe(0);
  expect(await leftOf(journal.path)).toEqual([]);
});

test("each program that dies is started again, and a run goes on meanwhile", async () => {
  await using journal = new UpJournal();
  const up = journal.start();
  await up.isUp();
  const run = await journal.count();
  await using bus = await journal.client();
  const told: SupervisorEvent[] = [];
  bus.connection.subscribe("supervisor.event.>", { callback: (_, message) => void told.push(message.json()) });
  await bus.connection.flush();
  for (const name of programNames) {
    const pid = journal.program(name)?.identity?.pid ?? 0;
    process.kill(pid, "SIGKILL");
    await journal.until(() => journal.program(name)?.restarts === 1 && journal.isReady(name), `${name} is back`);
    expect(identifyProcess(pid)).toBe(null);
  }
  // The others went on: a bus that comes back is found again.
  expect(programNames.map((name) => journal.program(name)?.restarts)).toEqual(programNames.map(() => 1));
  // The bus tells of its own death when it is back.
  const toldOf = (name: string) => told.filter(({ program }) => program === name).map(({ event }) => event);
  for (const name of programNames) await journal.until(() => toldOf(name).includes("ready"), `${name} was heard of`);
  // How it was started may have been told late as well.
  const toldOfBus = toldOf("nats-server");
  expect(toldOfBus.slice(toldOfBus.indexOf("exited"))).toEqual(["exited", "backing_off", "started", "ready"]);
  for (const event of told) expect(SupervisorEvent.parse(event)).toEqual(event);
  expect(lives(run)).toBe(true);
  await expectUnharmed(journal, run);
});

test("a bus that comes back elsewhere is found by those who need it, and runs go on", async () => {
  await using journal = new UpJournal();
  const up = journal.start();
  await up.isUp();
  const run = await journal.count();
  const { port } = new URL(readEndpoints(journal.path)?.nats_url ?? "");
  const before = journal.pids();
  const busPid = before["nats-server"] ?? 0;
  up.signal("SIGSTOP"); // The bus isn't started again before somebody else has its port.
  process.kill(busPid, "SIGKILL");
  await journal.until(() => identifyProcess(busPid) === null, "the bus is gone");
  const taker = createServer().listen(Number(port), "127.0.0.1");
  try {
    await once(taker, "listening");
    up.signal("SIGCONT");
    await journal.until(
      () => journal.program("nats-server")?.restarts === 1 && programNames.every((name) => journal.isReady(name)),
      "all is back",
    );
    await journal.until(
      () => new URL(readEndpoints(journal.path)?.nats_url ?? "").port !== port,
      "the endpoints say so",
    );
    await journal.until(
      () => journal.pids()["cortex"] !== before["cortex"] && journal.isReady("cortex"),
      "cortex is another",
    );
    await journal.until(
      () => journal.pids()["schedule"] !== before["schedule"] && journal.isReady("schedule"),
      "so is the schedule",
    );
    expect(journal.pids()["mcp-tools"]).toBe(before["mcp-tools"]);
    expect(lives(run)).toBe(true);
    await expectUnharmed(journal, run);
  } finally {
    up.signal("SIGCONT");
    taker.close();
  }
});

test("SIGHUP reaches the programs, and ends nothing; what waits for a run ends with all, also when cortex died before", async () => {
  await using journal = new UpJournal({ default_backend: "offline" });
  const up = journal.start();
  await up.isUp();
  const before = journal.pids();
  up.signal("SIGHUP");
  const hasHeard = (name: string) => {
    const log = logFile(journal.path, name); // is made with its first line
    return existsSync(log) && readFileSync(log, "utf8").includes("SIGHUP");
  };
  await journal.until(() => ["cortex", "mcp-tools", "schedule"].every(hasHeard), "all have heard it");
  expect(journal.pids()).toEqual(before);
  const pool = warmFolder(journal.path);
  await journal.until(
    () => existsSync(pool) && readdirSync(pool).some((name) => isThere(join(pool, name))),
    "one waits",
  );
  journal.kill("cortex");
  await up.stop();
  expect(processesOf(journal.path)).toEqual([]);
});

test.skipIf(noSmallDisk)(
  "every program is stopped where nothing can be written, what waits for a run as well",
  async () => {
    await using journal = new UpJournal({ default_backend: "offline" });
    using disk = new SmallDisk(liveRunsFolder(journal.path), 256 * 1024);
    const up = journal.start();
    await up.isUp();
    const pool = warmFolder(journal.path);
    await journal.until(
      () => existsSync(pool) && readdirSync(pool).some((name) => isThere(join(pool, name))),
      "one waits",
    );
    up.signal("SIGSTOP"); // Cortex isn't started again, and nothing is written.
    journal.kill("cortex");
    disk.fill(0);
    const record = join(journal.path, ".run/supervisor.json");
    rmSync(record);
    mkdirSync(record);
    const stopped = up.stop();
    up.signal("SIGCONT");
    expect(await stopped).toBe(0);
    expect(processesOf(journal.path)).toEqual([]);
  },
);

test("a run that doesn't end within the grace is stopped with TERM, and taken up by the next start", async () => {
  await using journal = new UpJournal({ stop_grace_seconds: 0.2 });
  const first = journal.start();
  await first.isUp();
  const run = await journal.count();
  expect(await first.stop()).toBe(0);
  expect(await leftOf(journal.path)).toEqual([]);
  expect(journal.file(run.agentId).some(isTerminal)).toBe(false);
  const second = journal.start();
  await second.isUp();
  await journal.until(() => journal.file(run.agentId).some(({ attempt }) => attempt === 2), "the second attempt");
  const events = await journal.end(run);
  expect(events.at(-1)).toMatchObject({ event: "finish" });
  expect(events.filter(isTerminal)).toHaveLength(1);
});

test("the bus takes and tells a free port where another has its own", async () => {
  await using journal = new UpJournal();
  const other = createServer().listen(journal.busPort, "127.0.0.1");
  await once(other, "listening");
  try {
    const up = journal.start();
    await up.isUp();
    expect(readEndpoints(journal.path)?.nats_url).toMatch(/^nats:\/\/127\.0\.0\.1:\d+$/);
    expect(readEndpoints(journal.path)?.nats_url).not.toContain(`:${journal.busPort}`);
    await using bus = await journal.client();
    expect(bus.isConnected).toBe(true);
  } finally {
    other.close();
  }
});

test("a cortex up that is told to stop while it starts stops, and leaves nothing", async () => {
  // The schedule never gets ready, so that it never is up.
  const hang = `if (process.argv[2] === "supervisor/schedule/main") await new Promise(() => setInterval(() => {}, 1000));`;
  const hanging = `--import=data:text/javascript,${encodeURIComponent(hang)}`;
  await using journal = new UpJournal({}, { NODE_OPTIONS: hanging });
  const up = journal.start();
  await journal.until(() => up.output.includes("waiting for schedule"), "it says what it waits for");
  expect(await up.stop()).toBe(0);
  expect(up.output).not.toContain("cortex is up");
  expect(processesOf(journal.path)).toEqual([]);
});

test("settings that can't be read are told, and nothing is started", async () => {
  await using journal = new UpJournal({ max_concurrent: "many" });
  const up = journal.start();
  expect(await up.exited).toBe(2);
  expect(up.output).toContain("max_concurrent");
  expect(processesOf(journal.path)).toEqual([]);
});
