import { expect, test } from "vitest";
import { WorkerLeases } from "../../../bus/claims/workers.ts";
import { BusServer } from "../bus-server.ts";

const worker = (name: string) => ({ worker: name, labels: ["gpu"], capacity: 4 });

test("workers are told as long as their leases hold, and who is alone knows it", async () => {
  await using server = await BusServer.start();
  const one = await WorkerLeases.open(await server.as("cortex"), 60_000);
  const two = await WorkerLeases.open(await server.as("cortex"), 60_000);
  expect(await one.all()).toEqual([]);
  await one.renew(worker("one"));
  expect(one.isAlone).toBe(true);
  await two.renew(worker("two"));
  await one.renew(worker("one"));
  expect([one.isAlone, two.isAlone]).toEqual([false, false]);
  expect((await one.all()).toSorted((a, b) => a.worker.localeCompare(b.worker))).toEqual([
    worker("one"),
    worker("two"),
  ]);
  await two.end("two");
  expect(await one.all()).toEqual([worker("one")]);
  expect(await one.isAlive("two")).toBe(false);
});
