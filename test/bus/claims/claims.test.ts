import { expect, test } from "vitest";
import { type Claim, ClaimStore } from "../../../bus/claims/claims.ts";
import { BusServer } from "../bus-server.ts";

const id = "1736380800000";
const claim = (fields: Partial<Claim> = {}): Claim => ({
  state: "queued",
  stream_seq: 1,
  priority: 50,
  labels: [],
  epoch: 0,
  attempt: 0,
  confirmed: 0,
  ...fields,
});

test("one of fifty that take a claim at once wins, and the others see whose it is", async () => {
  await using server = await BusServer.start();
  const store = await ClaimStore.open(await server.as("cortex"));
  const revision = (await store.create(id, claim())) ?? 0;
  expect(await store.create(id, claim())).toBe(null);
  const names = Array.from({ length: 50 }, (_, n) => `worker-${n}`);
  const taken = await Promise.all(
    names.map((worker) => store.replace(id, claim({ state: "claimed", worker }), revision)),
  );
  const winners = names.filter((_, n) => taken[n] !== null);
  expect(winners).toHaveLength(1);
  expect((await store.get(id))?.claim).toMatchObject({ state: "claimed", worker: winners[0] });
});

test("a follower of the claims sees those there are, then each change; a forgotten one leaves no trace", async () => {
  await using server = await BusServer.start();
  const bus = await server.as("cortex");
  const store = await ClaimStore.open(bus);
  await store.create(id, claim());
  const revision = (await store.create("1736380800001", claim({ priority: 1 }))) ?? 0;
  const stopping = new AbortController();
  const seen: string[] = [];
  const loaded = Promise.withResolvers<void>();
  const following = (async () => {
    for await (const { agentId, claim } of store.watch(stopping.signal, loaded.resolve)) {
      seen.push(`${agentId} ${claim.state}`);
      if (claim.state === "ended") return;
    }
  })();
  await loaded.promise;
  expect(seen).toEqual([`${id} queued`, "1736380800001 queued"]);
  const ended = (await store.replace("1736380800001", claim({ state: "ended" }), revision)) ?? 0;
  await following;
  expect(seen.at(-1)).toBe("1736380800001 ended");
  await store.forgetClaim("1736380800001", ended - 1);
  expect(await store.get("1736380800001")).toMatchObject({ claim: { state: "ended" } });
  await store.forgetClaim("1736380800001", ended);
  expect(await store.get("1736380800001")).toBe(null);
  expect((await (await bus.manager()).streams.info("KV_cortex_claims")).state.messages).toBe(1);
});

test("an empty bucket has nothing to wait for", async () => {
  await using server = await BusServer.start();
  const store = await ClaimStore.open(await server.as("cortex"));
  const stopping = new AbortController();
  const seen: string[] = [];
  const loaded = Promise.withResolvers<void>();
  const following = (async () => {
    for await (const { agentId } of store.watch(stopping.signal, loaded.resolve)) seen.push(agentId);
  })();
  await loaded.promise;
  stopping.abort();
  await following;
  expect(seen).toEqual([]);
});

test("a bucket that was empty when its server was killed counts anew, and whoever follows it is told before anything else", async () => {
  await using server = await BusServer.start();
  const bus = await server.as("cortex");
  const store = await ClaimStore.open(bus);
  const stopping = new AbortController();
  const loads = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const told: string[] = [];
  let loaded = 0;
  const following = (async () => {
    const onLoaded = () => loads[loaded++]?.resolve();
    const onBegin = (revision: number) => told.push(`from ${revision} on`);
    for await (const { claim, revision } of store.watch(stopping.signal, onLoaded, onBegin))
      told.push(`${claim.state} ${revision}`);
  })();
  await loads[0]?.promise;
  const revision = (await store.create(id, claim())) ?? 0;
  await expect.poll(() => told).toContain(`queued ${revision}`);
  await store.forgetClaim(id, revision);
  await server.killAndRestart(bus);
  await loads[1]?.promise;
  const next = (await store.create(id, claim())) ?? 0;
  // Of two changes of a claim the bus tells the second alone, where that comes before it has told the first.
  await expect.poll(() => told.at(-1)).toBe(`queued ${next}`);
  const last = (await store.replace(id, claim({ state: "claimed" }), next)) ?? 0;
  await expect.poll(() => told.at(-1)).toBe(`claimed ${last}`);
  stopping.abort();
  await following;
  expect(told).toEqual(["from 1 on", `queued ${revision}`, told[2], `queued ${next}`, `claimed ${last}`]);
  expect(next).toBe(Number(/^from (\d+) on$/.exec(told[2] ?? "")?.[1]) + 1);
});
