/** The daily budget over several workers on one bus: each with a journal of its own, as on several hosts. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { UsageBucket, type UsageEntry } from "../../../bus/claims/usage-bucket.ts";
import { UsageStore } from "../../../cortex/limits/usage-store.ts";
import { activeFile, endedFile } from "../../../journal/runs/run-files.ts";
import { logOf } from "../../../proc/logging/log.ts";
import { dayOf } from "../../../protocol/names/day.ts";
import { nothingSpent } from "../../../protocol/runs/spent.ts";
import type { Settings } from "../../../protocol/settings/settings.ts";
import { BusServer } from "../../bus/bus-server.ts";
import { temporaryJournal } from "../../journal/temporary-journal.ts";
import { askUntil } from "../../support/ask-until.ts";
import { patienceMs } from "../../support/patience.ts";
import { zoneAtNoon } from "../../support/zone-at-noon.ts";

const log = logOf("test");
log.level = "silent";
const settings: Settings = { budgets: { daily: { max_total_tokens: 100 } } };
const timeZone = zoneAtNoon();
const now = Date.now();
const id = (index: number) => String(now - 60_000 + index);
const used = (input_tokens: number, ts = now) => ({ ts, spent: { ...nothingSpent, calls: 1, input_tokens } });

async function open(server: BusServer, journal: string): Promise<UsageStore> {
  return UsageStore.open({ journal, timeZone, settings: () => settings, bus: await server.as("cortex"), log });
}

const until = (isSo: () => boolean) => askUntil(isSo, () => String(isSo), patienceMs);

/** Reads what the bus was told of each run. */
async function told(server: BusServer): Promise<Record<string, number>> {
  const bucket = await UsageBucket.open(await server.as("cortex"));
  const stop = new AbortController();
  const entries: UsageEntry[] = [];
  await bucket.follow((entry) => entries.push(entry), { onCaughtUp: () => stop.abort(), signal: stop.signal });
  return Object.fromEntries(entries.map(({ agentId, spent }) => [agentId, spent.input_tokens]));
}

function writeRun(path: string, agentId: string, ...tokens: [count: number, ts: number][]): void {
  mkdirSync(dirname(path), { recursive: true });
  const event = (event: string, seq: number, ts: number, fields: object) =>
    JSON.stringify({ event, ts, agent_id: agentId, seq, ...fields });
  const calls = tokens.map(([input_tokens, ts], index) => event("usage", index + 2, ts, { input_tokens }));
  writeFileSync(path, `${[event("request", 1, now, { prompt: "x" }), ...calls].join("\n")}\n`);
}

test("usage on one worker is known to all workers, and stops runs on all", async () => {
  await using server = await BusServer.start();
  using journalA = temporaryJournal();
  using journalB = temporaryJournal();
  using a = await open(server, journalA.path);
  using b = await open(server, journalB.path);
  const calls = [0, 0] as [number, number];
  using _a = a.onChange(() => void calls[0]++);
  using _b = b.onChange(() => void calls[1]++);
  a.add(id(1), "default", used(60));
  b.add(id(2), "digest", used(39));
  await until(() => Math.min(...calls) >= 3); // at once, by itself, by the other
  expect([a.exceeded("default"), b.exceeded("default")]).toEqual([null, null]);
  a.add(id(1), "default", used(1));
  expect(a.exceeded("digest")).toMatch("used 100 tokens today, the limit budgets.daily.max_total_tokens is 100");
  await until(() => b.exceeded("default") !== null);
  expect(b.exceeded("default")).toMatch("used 100 tokens");
});

test("after kill -9 of a worker, and of all, nothing is forgotten and nothing counted twice", async () => {
  await using server = await BusServer.start();
  using journal = temporaryJournal();
  writeRun(endedFile(journal.path, id(1)), id(1), [30, now], [10, now]);
  writeRun(activeFile(journal.path, id(2)), id(2), [20, now]);
  {
    using first = await open(server, journal.path);
    first.restate(id(2), "default", [used(20)]);
    await until(() => first.exceeded("default") === null);
  }
  using again = await open(server, journal.path);
  again.restate(id(2), "default", [used(20)]); // it is taken up
  again.add(id(2), "default", used(39));
  expect(again.exceeded("default")).toBe(null);
  again.add(id(2), "default", used(1));
  expect(again.exceeded("default")).toMatch("used 100 tokens");
  // Another one's files tell nothing of these runs: it has it from the bus alone, before it takes up anything.
  using empty = temporaryJournal();
  const told100 = async () => Object.values(await told(server)).reduce((a, b) => a + b, 0) === 100;
  while (!(await told100())) await delay(5);
  using other = await open(server, empty.path);
  expect(other.exceeded("default")).toMatch("used 100 tokens");
});

test("files that lag behind the bus, as those of another worker's runs may, take nothing back", async () => {
  await using server = await BusServer.start();
  const bucket = await UsageBucket.open(await server.as("cortex"));
  await bucket.put({ day: dayOf(now, timeZone), agentId: id(1), persona: "default", spent: used(100).spent });
  using journal = temporaryJournal();
  writeRun(activeFile(journal.path, id(1)), id(1), [40, now]);
  writeRun(endedFile(journal.path, id(2)), id(2), [1, now]);
  using usage = await open(server, journal.path);
  expect(usage.exceeded("default")).toMatch("used 101 tokens");
  while ((await told(server))[id(2)] !== 1) await delay(5);
  expect(await told(server)).toEqual({ [id(1)]: 100, [id(2)]: 1 });
});

test("usage of another day doesn't count", async () => {
  await using server = await BusServer.start();
  using journal = temporaryJournal();
  const yesterday = now - 24 * 3_600_000;
  writeRun(endedFile(journal.path, id(1)), id(1), [1000, yesterday], [99, now]);
  using usage = await open(server, journal.path);
  usage.add(id(2), "default", used(1000, yesterday));
  expect(usage.exceeded("default")).toBe(null);
  usage.add(id(2), "default", used(1));
  expect(usage.exceeded("default")).toMatch("used 100 tokens");
});

test("while the bus is away the last known sums and the own ones hold, and it is told when it is back", async () => {
  await using server = await BusServer.start();
  using journalA = temporaryJournal();
  using journalB = temporaryJournal();
  const bus = await server.as("cortex");
  using a = await UsageStore.open({ journal: journalA.path, timeZone, settings: () => settings, bus, log });
  using b = await open(server, journalB.path);
  let calls = 0;
  using _ = a.onChange(() => void calls++);
  b.add(id(2), "default", used(60));
  a.add(id(1), "default", used(20));
  await until(() => calls >= 3); // at once, by itself, by the other
  const isAway = new Promise<void>((resolve) => bus.onDisconnect(resolve));
  const isBack = server.killAndRestart(bus);
  await isAway;
  a.add(id(1), "default", used(20));
  expect(a.exceeded("default")).toMatch("used 100 tokens");
  await isBack;
  await until(() => b.exceeded("default") !== null);
  expect(b.exceeded("default")).toMatch("used 100 tokens");
});

test("a server that has lost all hears it again, and everybody hears it from there on", async () => {
  await using server = await BusServer.start();
  using journalA = temporaryJournal();
  using journalB = temporaryJournal();
  const bus = await server.as("cortex");
  using a = await UsageStore.open({ journal: journalA.path, timeZone, settings: () => settings, bus, log });
  using b = await open(server, journalB.path);
  a.add(id(1), "default", used(50));
  b.add(id(2), "default", used(49));
  while (Object.keys(await told(server)).length < 2) await delay(5);
  const manager = await bus.manager();
  await manager.streams.delete("KV_cortex_spending");
  await server.killAndRestart(bus);
  while (Object.keys(await told(server)).length < 2) await delay(5);
  a.add(id(1), "default", used(1));
  await until(() => b.exceeded("default") !== null);
  expect(Object.keys(await told(server)).toSorted()).toEqual([id(1), id(2)]);
});
