import { readFileSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readEndpoints } from "../../journal/endpoints.ts";
import { readSupervised } from "../../journal/supervised.ts";
import { identify, isAlive } from "../../proc/identity.ts";
import { isTerminal } from "../../protocol/event.ts";
import { processesOf } from "../support/journal-processes.ts";
import { type CountingRun, lives, UpJournal } from "./up-process.ts";

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

test("what is up says where, and TERM leaves no process and no endpoints", async () => {
  await using journal = new UpJournal();
  const up = journal.start();
  await up.isUp();
  const endpoints = readEndpoints(journal.path);
  expect(up.output).toContain(`bus      ${endpoints?.nats_url}`);
  expect(endpoints).toMatchObject({ pid: up.pid, nats_user: "client" });
  expect(statSync(join(journal.path, ".run/endpoints.json")).mode & 0o777).toBe(0o600);
  const programs = await journal.until(() => {
    const known = readSupervised(journal.path)?.programs ?? [];
    return known.length === 3 && known.every(({ state }) => state === "ready") && known;
  }, "all are ready");
  expect(programs.map(({ name }) => name).toSorted()).toEqual(["cortex", "mcp-tools", "nats-server"]);
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

test("one that replaces another leaves its runs running, and adopts them", async () => {
  await using journal = new UpJournal();
  const first = journal.start();
  await first.isUp();
  const run = await journal.count();
  const second = journal.start("--replace");
  expect(await first.exited).toBe(0);
  await second.isUp();
  expect(lives(run)).toBe(true);
  expect(readEndpoints(journal.path)?.pid).toBe(second.pid);
  await expectUnharmed(journal, run);
});

test("one that was killed with -9 leaves its runs running: the next stops what else it left, and adopts them", async () => {
  await using journal = new UpJournal();
  const first = journal.start();
  await first.isUp();
  const run = await journal.count();
  const programs = readSupervised(journal.path)?.programs ?? [];
  first.signal("SIGKILL");
  await first.exited;
  expect(programs.map(({ identity }) => identity && isAlive(identity))).toEqual([true, true, true]);
  const second = journal.start();
  await second.isUp();
  expect(programs.map(({ identity }) => identity && isAlive(identity))).toEqual([false, false, false]);
  expect(lives(run)).toBe(true);
  await expectUnharmed(journal, run);
});

test("each program that dies is started again, and a run goes on meanwhile", async () => {
  await using journal = new UpJournal();
  const up = journal.start();
  await up.isUp();
  const run = await journal.count();
  for (const name of ["nats-server", "mcp-tools", "cortex"]) {
    const program = () => readSupervised(journal.path)?.programs.find((known) => known.name === name);
    const pid = program()?.identity?.pid ?? 0;
    process.kill(pid, "SIGKILL");
    await journal.until(() => program()?.restarts === 1 && program()?.state === "ready", `${name} is back`);
    expect(identify(pid)).toBe(null);
  }
  expect(lives(run)).toBe(true);
  await expectUnharmed(journal, run);
});

test("a run that doesn't end within the grace is stopped with TERM, and taken up by the next start", async () => {
  await using journal = new UpJournal({ stop_grace_seconds: 0.2 });
  const first = journal.start();
  await first.isUp();
  const run = await journal.count();
  expect(await first.stop()).toBe(0);
  expect(processesOf(journal.path)).toEqual([]);
  expect(journal.file(run.agentId).some(isTerminal)).toBe(false);
  const second = journal.start();
  await second.isUp();
  await journal.until(() => journal.file(run.agentId).some(({ attempt }) => attempt === 2), "the second attempt");
  const events = await journal.end(run);
  expect(events.at(-1)).toMatchObject({ event: "finish" });
  expect(events.filter(isTerminal)).toHaveLength(1);
});

test("where another has NATS's port, a free one is taken and told", async () => {
  const other = createServer().listen(4222, "127.0.0.1");
  // Whoever has the port already serves as well.
  const isListening = await once(other, "listening").then(
    () => true,
    () => false,
  );
  try {
    await using journal = new UpJournal();
    const up = journal.start();
    await up.isUp();
    expect(readEndpoints(journal.path)?.nats_url).toMatch(/^nats:\/\/127\.0\.0\.1:\d+$/);
    expect(readEndpoints(journal.path)?.nats_url).not.toContain(":4222");
    await using bus = await journal.client();
    expect(bus.isConnected).toBe(true);
  } finally {
    if (isListening) other.close();
  }
});

test("settings that can't be read are told, and nothing is started", async () => {
  await using journal = new UpJournal({ max_concurrent: "many" });
  const up = journal.start();
  expect(await up.exited).toBe(2);
  expect(up.output).toContain("max_concurrent");
  expect(processesOf(journal.path)).toEqual([]);
});
