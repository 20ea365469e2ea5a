import { appendFileSync, readFileSync, statSync } from "node:fs";
import { expect, test } from "vitest";
import { Outbox } from "../../journal/channels/outbox.ts";
import { state } from "../../journal/config/paths.ts";
import { temporaryJournal } from "./temporary-journal.ts";

const file = (journal: string) => state(journal, "channels", "sms.jsonl");

async function sent(outbox: Outbox, id: string, position: number): Promise<void> {
  await outbox.prepared(id, position, 0);
  await outbox.ended(id, { state: "sent", external_id: `x-${id}` });
  await outbox.told(id, position);
}

test("a noted part is known again, for its owner alone", async () => {
  using journal = temporaryJournal();
  {
    using outbox = new Outbox(journal.path, "sms");
    expect([outbox.position, outbox.untold]).toEqual([0, []]);
    await sent(outbox, "a", 1);
    await outbox.prepared("b", 3, 0);
    await outbox.postponed("b");
    await outbox.prepared("b", 3, 0);
    await outbox.partArrived("b", 0, "b0");
    await outbox.prepared("b", 3, 1);
  }
  expect(statSync(file(journal.path)).mode & 0o777).toBe(0o600);
  using again = new Outbox(journal.path, "sms");
  expect(again.position).toBe(1);
  expect(again.delivery("a")).toMatchObject({ outcome: { state: "sent", external_id: "x-a" }, isTold: true });
  expect(again.untold).toEqual([
    { id: "b", position: 3, arrived: ["b0"], isUnderWay: true, outcome: null, isTold: false },
  ]);
  expect(again.delivery("c")).toBeUndefined();
});

test("a torn last line doesn't count, and what is written after it does", async () => {
  using journal = temporaryJournal();
  {
    using outbox = new Outbox(journal.path, "sms");
    await outbox.prepared("a", 1, 0);
  }
  appendFileSync(file(journal.path), '{"state":"sent","i');
  {
    using outbox = new Outbox(journal.path, "sms");
    expect(outbox.untold).toMatchObject([{ id: "a", isUnderWay: true }]);
    await outbox.ended("a", { state: "unknown", error: "it ended" });
    await outbox.told("a", 1);
  }
  using again = new Outbox(journal.path, "sms");
  expect(again.delivery("a")).toMatchObject({ outcome: { state: "unknown" }, isTold: true });
  expect(again.position).toBe(1);
});

test("the outbox is rewritten when it is large, and keeps the place, the last ids, and what isn't told", async () => {
  using journal = temporaryJournal();
  const limits = { maxBytes: 4000, maxIds: 10 };
  {
    using outbox = new Outbox(journal.path, "sms", limits);
    await outbox.prepared("old", 1, 0);
    await outbox.partArrived("old", 0, undefined);
    await outbox.prepared("old", 1, 1);
    await outbox.postponed("old");
    for (let n = 2; n <= 200; n++) await sent(outbox, `m${n}`, n);
  }
  expect(readFileSync(file(journal.path), "utf8").length).toBeLessThan(6000);
  using again = new Outbox(journal.path, "sms", limits);
  expect(again.position).toBe(200);
  expect(again.untold).toEqual([
    { id: "old", position: 1, arrived: [undefined], isUnderWay: false, outcome: null, isTold: false },
  ]);
  expect(again.delivery("m200")?.outcome).toEqual({ state: "sent", external_id: "x-m200" });
  expect(again.delivery("m192")).toBeDefined();
  expect(again.delivery("m150")).toBeUndefined();
});

test("a stream that counts from the begin again is followed from there, and what was delivered stays known", async () => {
  using journal = temporaryJournal();
  {
    using outbox = new Outbox(journal.path, "sms");
    await sent(outbox, "a", 7);
    await outbox.beginAnew();
  }
  using again = new Outbox(journal.path, "sms");
  expect(again.position).toBe(0);
  expect(again.delivery("a")).toMatchObject({ isTold: true });
});
