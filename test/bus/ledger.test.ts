import { expect, test } from "vitest";
import { Ledger, type LedgerEntry } from "../../bus/ledger.ts";
import { BusServer } from "./bus-server.ts";

const id = "1736380800000";
const entry = (seq: number, state: LedgerEntry["state"] = "queued"): LedgerEntry => ({
  hash: `hash ${seq}`,
  state,
  stream_seq: seq,
});

test("of 200 that record an id at once one is the first, and all others learn of it", async () => {
  await using server = await BusServer.start();
  const ledgers = await Promise.all(Array.from({ length: 4 }, async () => Ledger.open(await server.as("cortex"))));
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) => ledgers[index % 4]!.record(id, entry(index + 1))),
  );
  const winners = answers.flatMap((answer, index) => (answer === null ? [index + 1] : []));
  expect(winners).toHaveLength(1);
  const [winner = 0] = winners;
  expect(answers.filter((answer) => answer !== null)).toEqual(Array(199).fill(entry(winner)));
  expect(await ledgers[0]!.entry(id)).toEqual(entry(winner));
  expect(await ledgers[0]!.entry("1736380800001")).toBe(null);
});

test("a request without an id gets the same one at each delivery, until it is given another", async () => {
  await using server = await BusServer.start();
  const ledger = await Ledger.open(await server.as("cortex"));
  const assigned = await Promise.all(["1", "2", "3"].map((digit) => ledger.assign(7, `173638080000${digit}`)));
  expect(new Set(assigned).size).toBe(1);
  expect(await ledger.assign(8, "1736380800009")).toBe("1736380800009");
  await ledger.reassign(7, "1736380800005");
  expect(await ledger.assign(7, id)).toBe("1736380800005");
});

test("those that wait are told, and nobody else; none at all in an empty ledger", async () => {
  await using server = await BusServer.start();
  const ledger = await Ledger.open(await server.as("cortex"));
  expect(await ledger.queued()).toEqual(new Map());
  await ledger.assign(1, id);
  expect(await ledger.queued()).toEqual(new Map());
  for (let seq = 1; seq <= 6; seq++) await ledger.record(`173638080000${seq}`, entry(seq));
  await ledger.update("1736380800002", entry(2, "started"));
  await ledger.update("1736380800004", entry(4, "ended"));
  const waiting = await ledger.queued();
  expect([...waiting.keys()].toSorted()).toEqual(["1", "3", "5", "6"].map((digit) => `173638080000${digit}`));
  expect(waiting.get("1736380800003")).toEqual(entry(3));
});

test("what was recorded is known to a server that was killed with -9 and started again", async () => {
  await using server = await BusServer.start();
  const bus = await server.as("cortex");
  const ledger = await Ledger.open(bus);
  await ledger.record(id, entry(1));
  await server.killAndRestart(bus);
  expect(await ledger.record(id, entry(2))).toEqual(entry(1));
  expect([...(await (await Ledger.open(bus)).queued()).keys()]).toEqual([id]);
});
