/** The requests that were accepted and can't be delivered are put away with their reasons, and can be sent again. */
import { join } from "node:path";
import { Kvm } from "@nats-io/kv";
import { expect, test } from "vitest";
import { claimStream } from "../../../bus/claims/claims.ts";
import { openBus } from "../../../bus/connection/connect.ts";
import { BusPosition } from "../../../bus/claims/position.ts";
import { requestStream } from "../../../bus/jetstream/streams.ts";
import { readBusPosition } from "../../../journal/access/bus-position.ts";
import { readBusAccess } from "../../../journal/access/endpoints.ts";
import { runCortexJson } from "../../scripts/run-command.ts";
import { StopPoint } from "../../chaos/stop-point.ts";
import { CortexSystem, fixtureAgents } from "../../support/cortex-system.ts";
import { filesWith } from "../../support/files/files-with.ts";
import { patienceMs } from "../../support/patience.ts";

const settings = fixtureAgents("scripted");
const finish = { ev: { event: "finish", result: "done" } };

async function asCortex(system: CortexSystem) {
  const access = readBusAccess(system.journal);
  const address = { url: access?.url ?? "", user: "cortex", password: access?.passwords["cortex"] };
  return openBus(address, "cortex", patienceMs);
}
const deadOf = async (system: CortexSystem) =>
  (await runCortexJson(system.journal, ["runs", "dead", "list"])).document["dead"] as Record<string, unknown>[];

test.concurrent("a request that can't be taken again and again becomes a dead letter; repaired and sent again, it runs", async () => {
  await using system = await CortexSystem.start({ settings });
  await using bus = await asCortex(system);
  const id = system.nextId();
  const ledger = await new Kvm(bus.js).open("cortex_runs");
  await ledger.put(id, "no JSON");
  await ledger.put("deliveries.1", "9"); // it has failed for a while
  const refusal = system.answerTo({ ts: Number(id), backend: "scripted", prompt: JSON.stringify([finish]) });
  expect(await refusal).toMatchObject({ reason: "invalid", error: expect.stringContaining("cortex runs dead list") });
  const [letter] = await deadOf(system);
  expect(letter).toMatchObject({ reason: "undeliverable", stream_seq: 1, request: { ts: Number(id) } });

  await ledger.purge(id);
  expect((await runCortexJson(system.journal, ["runs", "dead", "retry", String(letter?.["number"])])).code).toBe(0);
  expect((await system.ended(id)).at(-1)).toMatchObject({ event: "finish" });
  expect(await deadOf(system)).toEqual([]);
});

test.concurrent("a request that the stream has forgotten while it waited is told of, and isn't sent again", async () => {
  await using system = await CortexSystem.start({ settings });
  const id = system.nextId();
  const asked = { ts: Number(id), backend: "scripted", prompt: JSON.stringify([finish]), labels: ["nobody"] };
  expect(await system.answerTo(asked)).toMatchObject({ accepted: true });
  await using bus = await asCortex(system);
  await system.killCortex();
  await (await bus.manager()).streams.purge(requestStream);
  await system.startCortex();
  const letters = await system.until(async () => {
    const dead = await deadOf(system);
    return dead.length > 0 && dead;
  }, "it is told of");
  expect(letters).toMatchObject([{ reason: "gone", agent_id: id, request: null }]);
  const number = String(letters[0]?.["number"]);
  const retried = await runCortexJson(system.journal, ["runs", "dead", "retry", number]);
  expect(retried).toMatchObject({ code: 2, document: { ok: false } });
  expect((await runCortexJson(system.journal, ["runs", "dead", "drop", number])).code).toBe(0);
  expect(await deadOf(system)).toEqual([]);
  expect((await runCortexJson(system.journal, ["runs", "dead", "drop", number])).code).toBe(2);
});

test.concurrent("a dropped letter is gone for good, even when the claims are lost", async () => {
  await using system = await CortexSystem.start({ settings });
  await using bus = await asCortex(system);
  const stored = (text: string) => filesWith(join(system.journal, ".state/jetstream"), text);
  const elsewhere = (path: string) => !path.includes("/CORTEX_DEAD/");
  const [id, waiting] = [system.nextId(), system.nextId()];
  const ledger = await new Kvm(bus.js).open("cortex_runs");
  await ledger.put(id, "no JSON");
  await ledger.put("deliveries.1", "9");
  const asked = { ts: Number(id), backend: "scripted", prompt: JSON.stringify([finish]), env: { KEY: "told once" } };
  expect(await system.answerTo(asked)).toMatchObject({ reason: "invalid" });
  await system.until(() => !stored("told once").some(elsewhere), "it stands in its letter alone");
  expect(await deadOf(system)).toMatchObject([{ request: { ts: Number(id), env: { KEY: "***" } } }]);
  expect((await runCortexJson(system.journal, ["runs", "dead", "drop", "1"])).code).toBe(0);
  expect(stored("told once")).toEqual([]);

  await ledger.purge(id);
  expect(await system.answerTo({ ts: Number(waiting), prompt: "x", labels: ["nobody"] })).toMatchObject({
    accepted: true,
  });
  const noted = () => BusPosition.safeParse(readBusPosition(system.journal)).data?.[claimStream] ?? 0;
  const offered = await (await new Kvm(bus.js).open("cortex_claims")).get(waiting);
  await system.until(() => noted() >= (offered?.revision ?? Infinity), "how far the claims had come is noted");
  await system.killCortex();
  await (await bus.manager()).streams.delete(claimStream);
  await system.startCortex();
  const claims = await system.until(async () => {
    const kv = await new Kvm(bus.js).open("cortex_claims");
    return (await kv.get(waiting)) && kv;
  }, "what waited is offered again, after all that stood before it");
  expect(await claims.get(id)).toBe(null);
  system.cancel(waiting);
  await system.settled(waiting);
});

test.concurrent("a recorded and offered request is not a dead letter, however often its delivery wasn't acknowledged", async () => {
  using stop = new StopPoint();
  await using system = await CortexSystem.start({ settings, env: stop.env });
  await using bus = await asCortex(system);
  const ledger = await new Kvm(bus.js).open("cortex_runs");
  await ledger.put("deliveries.1", "10");
  stop.set("offered", 1);
  system.publish(JSON.stringify({ backend: "scripted", prompt: JSON.stringify([finish]) }));
  await system.until(() => stop.isReached(), "it is offered");
  stop.clear();
  await system.killCortex();
  await system.startCortex();
  await system.until(async () => (await ledger.get("deliveries.1"))?.string() === "11", "it was delivered again");
  const agentId = (await ledger.get("seq.1"))?.string() ?? "";
  expect((await system.settled(agentId)).at(-1)).toMatchObject({ event: "finish" });
  expect(await deadOf(system)).toEqual([]);
  expect(system.rejected).toEqual([]);
});
