import { expect, test } from "vitest";
import { Ledger, type LedgerEntry } from "../../../bus/claims/ledger.ts";
import { BusServer } from "../bus-server.ts";

const id = "1736380800000";
const entry = (seq: number): LedgerEntry => ({ hash: `hash ${seq}`, stream_seq: seq });

test("one of 40 that record an id at once is the first, and all others learn of it", async () => {
  await using server = await BusServer.start();
  const ledgers = await Promise.all(Array.from({ length: 4 }, async () => Ledger.open(await server.as("cortex"))));
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, index) => ledgers[index % 4]!.record(id, entry(index + 1))),
  );
  const winners = answers.flatMap((answer, index) => (answer === null ? [index + 1] : []));
  expect(winners).toHaveLength(1);
  const [winner = 0] = winners;
  expect(answers.filter((answer) => answer !== null)).toEqual(Array(39).fill(entry(winner)));
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

test("a run has one child, whoever asks and however often, until it is given another", async () => {
  await using server = await BusServer.start();
  const ledger = await Ledger.open(await server.as("cortex"));
  expect(await ledger.childOf(id)).toBe(null);
  const wanted = ["1", "2", "3"].map((digit) => ({ agent_id: `173638080000${digit}`, chain_length: 2 }));
  const given = await Promise.all(wanted.map((child) => ledger.claimChild(id, child)));
  expect(new Set(given.map(({ agent_id }) => agent_id)).size).toBe(1);
  expect(await ledger.childOf(id)).toEqual(given[0]);
  await ledger.replaceChild(id, { agent_id: "1736380800009", chain_length: 2 });
  expect(await ledger.claimChild(id, wanted[0]!)).toEqual({ agent_id: "1736380800009", chain_length: 2 });
});

test("a record is known to a server that was killed with -9 and started again", async () => {
  await using server = await BusServer.start();
  const bus = await server.as("cortex");
  const ledger = await Ledger.open(bus);
  await ledger.record(id, entry(1));
  await server.killAndRestart(bus);
  expect(await ledger.record(id, entry(2))).toEqual(entry(1));
  expect(await (await Ledger.open(bus)).entry(id)).toEqual(entry(1));
});
