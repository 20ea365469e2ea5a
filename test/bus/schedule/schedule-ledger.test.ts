import { expect, test } from "vitest";
import { ScheduleLedger } from "../../../bus/schedule/schedule-ledger.ts";
import type { Unit, UnitRecord, Work } from "../../../protocol/programs/schedule.ts";
import { BusServer } from "../bus-server.ts";

const unit: Unit = { day: "20250108", time: "night", persona: "notes:digest", facet: "garden" };
const record = (agent_id: string): UnitRecord => ({ state: "running", attempts: 1, agent_id, started: 1 });
const work: Work = { unit, attempt: 1, request: { ts: 1_736_380_800_000, prompt: "go" }, timeout_seconds: 600 };

test("one of many that make an entry or take a queue at once does", async () => {
  await using server = await BusServer.start();
  const ledgers = await Promise.all([1, 2, 3].map(async () => ScheduleLedger.open(await server.as("schedule"))));
  const at = (index: number) => ledgers[index % 3]!;
  const count = Array.from({ length: 60 }, (_, index) => index);
  const made = await Promise.all(count.map((index) => at(index).setRecord(unit, record(String(index)), 0)));
  expect(made.filter(Boolean)).toHaveLength(1);
  const standing = await at(0).record(unit);
  expect(standing.value?.agent_id).toBe(String(made.indexOf(true)));
  const taken = await Promise.all(count.map((index) => at(index).setQueue("night", work, 0)));
  expect(taken.filter(Boolean)).toHaveLength(1);
  const { value, revision } = await at(1).queue("night");
  expect(value).toEqual(work);
  expect(await at(2).queuesInHand()).toEqual(["night"]);
  expect(await at(2).setQueue("night", null, revision - 1)).toBe(false);
  expect(await at(2).setQueue("night", null, revision)).toBe(true);
  expect(await at(0).queue("night")).toEqual({ value: null, revision: expect.any(Number) as number });
  expect(await at(0).queuesInHand()).toEqual([]);
});

test("the first decision holds, for a group and for when a day was seen to be over", async () => {
  await using server = await BusServer.start();
  const ledger = await ScheduleLedger.open(await server.as("schedule"));
  const group = (facets: string[]) => ({ facets, skipped: [], ts: 1 });
  expect(await ledger.group(unit)).toBe(null);
  expect(await ledger.decide(unit, group(["garden"]))).toEqual(group(["garden"]));
  expect(await ledger.decide(unit, group(["harbor"]))).toEqual(group(["garden"]));
  expect(await ledger.sawDay("20250108", 5)).toBe(5);
  expect(await ledger.sawDay("20250108", 9)).toBe(5);
});

test("entries are listed by day, the newest first, while others write", async () => {
  await using server = await BusServer.start();
  const [ledger, other] = [
    await ScheduleLedger.open(await server.as("schedule")),
    await ScheduleLedger.open(await server.as("schedule")),
  ];
  expect(await ledger.known()).toEqual([]);
  await ledger.sawDay("20250108", 1);
  await ledger.decide(unit, { facets: ["garden"], skipped: [], ts: 1 });
  await ledger.setRecord(unit, record("7"), 0);
  const occurrence: Unit = { day: "20250109", time: "0915", persona: "watch", facet: null };
  await ledger.setRecord(occurrence, record("8"), 0);
  expect(await ledger.known()).toEqual(
    [occurrence, { ...unit, facet: undefined }, unit].map((known) => ({ ...known })),
  );
  expect(await ledger.history(await ledger.known("20250109"))).toEqual([{ unit: occurrence, record: record("8") }]);
  // A bucket that changes all the time comes to an end all the same.
  const writing = (async () => {
    for (let turn = 0; turn < 150; turn++) {
      const { revision } = await other.queue("night");
      await other.setQueue("night", turn % 2 ? work : null, revision);
    }
  })();
  for (let turn = 0; turn < 30; turn++) await ledger.queuesInHand();
  await writing;
});

test("an entry is known to a server that was killed with -9 and started again, and revisions go on", async () => {
  await using server = await BusServer.start();
  const bus = await server.as("schedule");
  const ledger = await ScheduleLedger.open(bus);
  await ledger.setRecord(unit, record("7"), 0);
  const before = await ledger.revision();
  await ledger.setCursor("digest", { schedule: "daily", since: 1, until: 2, slot: null }, 0);
  await server.killAndRestart(bus);
  const { value, revision } = await ledger.record(unit);
  expect([value, revision]).toEqual([record("7"), before]);
  expect([...(await ledger.cursors()).keys()]).toEqual(["digest"]);
  expect(await ledger.setRecord(unit, record("8"), 0)).toBe(false);
  expect(await ledger.setRecord(unit, record("8"), revision)).toBe(true);
  expect(await ledger.revision()).toBeGreaterThan(before);
});
