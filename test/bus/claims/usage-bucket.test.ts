import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { UsageBucket, type UsageEntry } from "../../../bus/claims/usage-bucket.ts";
import { nothingSpent } from "../../../protocol/runs/spent.ts";
import { BusServer } from "../bus-server.ts";

const entry = (index: number, input_tokens: number): UsageEntry => ({
  day: "20250109",
  agentId: `173638080000${index}`,
  persona: "default",
  spent: { ...nothingSpent, calls: 1, input_tokens },
});

test("a late listener hears the last usage of each run, then each new one", async () => {
  await using server = await BusServer.start();
  const [one, two] = [
    await UsageBucket.open(await server.as("cortex")),
    await UsageBucket.open(await server.as("cortex")),
  ];
  for (const tokens of [1, 2, 3]) await one.put(entry(1, tokens));
  await two.put(entry(2, 10));
  const stop = new AbortController();
  const heard: UsageEntry[] = [];
  let following = Promise.resolve();
  await new Promise<void>((onCaughtUp) => {
    following = two.follow((told) => heard.push(told), { onCaughtUp, signal: stop.signal });
  });
  expect(heard).toEqual([entry(1, 3), entry(2, 10)]);
  await one.put(entry(1, 4));
  while (heard.length < 3) await delay(5);
  expect(heard.at(-1)).toEqual(entry(1, 4));
  stop.abort();
  await following;
});

test("an empty bucket is known to be empty at once, and foreign entries are passed over", async () => {
  await using server = await BusServer.start();
  const bus = await server.as("cortex");
  const bucket = await UsageBucket.open(bus);
  const stop = new AbortController();
  const heard: UsageEntry[] = [];
  let following = Promise.resolve();
  await new Promise<void>((onCaughtUp) => {
    following = bucket.follow((told) => heard.push(told), { onCaughtUp, signal: stop.signal });
  });
  expect(heard).toEqual([]);
  const told = JSON.stringify({ persona: "default", spent: entry(1, 1).spent });
  for (const [key, value] of [
    ["20250109.1", told],
    ["today.1736380800001", told],
    ["20250109.1736380800002", "not JSON"],
    ["20250109.1736380800003", '{"persona":"default","spent":{"calls":-1}}'],
  ])
    await bus.js.publish(`$KV.cortex_spending.${key}`, value);
  await bucket.put(entry(4, 1));
  while (heard.length === 0) await delay(5);
  expect(heard).toEqual([entry(4, 1)]);
  stop.abort();
  await following;
});

test("a sum that is not an amount is told as such, and not passed over", async () => {
  await using server = await BusServer.start();
  const bus = await server.as("cortex");
  const bucket = await UsageBucket.open(bus);
  const { spent } = entry(1, 1);
  const stop = new AbortController();
  const unreadable: string[] = [];
  const heard: UsageEntry[] = [];
  const sums = [{ ...spent, input_tokens: null }, { ...spent, cost_usd: 1.7e308 }, null, { ...spent, calls: -1 }];
  for (const [index, sum] of sums.entries())
    await bus.js.publish(
      `$KV.cortex_spending.20250109.173638080001${index}`,
      JSON.stringify({ persona: "x", spent: sum }),
    );
  await bucket.put(entry(1, 1));
  let following = Promise.resolve();
  await new Promise<void>((onCaughtUp) => {
    const onUnreadable = (_: string, agentId: string) => void unreadable.push(agentId);
    following = bucket.follow((told) => heard.push(told), { onUnreadable, onCaughtUp, signal: stop.signal });
  });
  expect(unreadable).toEqual(sums.map((_, index) => `173638080001${index}`));
  expect(heard).toEqual([entry(1, 1)]);
  stop.abort();
  await following;
});
