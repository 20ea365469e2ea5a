/** The order in which a queue runs its work, and what a failure does to it. */
import { expect, test } from "vitest";
import { CoalescedWork, SerialQueue } from "../../files/locks/serial-queue.ts";

test("a serial queue runs its work in order and never two at once, and a failure is its caller's alone", async () => {
  const queue = new SerialQueue();
  const seen: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = queue.run(async () => {
    seen.push("first begins");
    await gate.promise;
    seen.push("first ends");
  });
  const second = queue.run(() => {
    seen.push("second");
    throw new Error("of the second");
  });
  const third = queue.run(() => seen.push("third"));
  gate.resolve();
  await expect(second).rejects.toThrow("of the second");
  await Promise.all([first, third, queue.idle()]);
  expect(seen).toEqual(["first begins", "first ends", "second", "third"]);
});

test("coalesced work runs once for all who ask before it begins, and again for who asks while it runs", async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const begun = Promise.withResolvers<void>();
  let runs = 0;
  const work = new CoalescedWork(() => {
    begun.resolve();
    return gates[runs++]?.promise ?? Promise.reject(new Error("a third run"));
  });
  const asked = [work.run(), work.run()];
  await begun.promise;
  const late = [work.run(), work.run()];
  for (const gate of gates) gate.resolve();
  await Promise.all([...asked, ...late, work.idle()]);
  expect(runs).toBe(2);
  await expect(work.run()).rejects.toThrow("a third run");
  await work.idle();
});
