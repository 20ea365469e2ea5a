/** What was accepted and can't be delivered is put away with its reason, and can be sent again. */
import { Kvm } from "@nats-io/kv";
import { expect, test } from "vitest";
import { openBus } from "../../bus/connect.ts";
import { requestStream } from "../../bus/streams.ts";
import { readBusAccess } from "../../journal/endpoints.ts";
import { runCortexJson } from "../scripts/run-command.ts";
import { CortexSystem, fixtureAgents } from "../support/cortex-system.ts";

const settings = fixtureAgents("scripted");
const finish = { ev: { event: "finish", result: "done" } };

async function asCortex(system: CortexSystem) {
  const access = readBusAccess(system.journal);
  return openBus({ url: access?.url ?? "", user: "cortex", password: access?.passwords["cortex"] }, "cortex");
}
const deadOf = async (system: CortexSystem) =>
  (await runCortexJson(system.journal, ["runs", "dead", "list"])).document["dead"] as Record<string, unknown>[];

test.concurrent("a request that can't be taken again and again becomes a dead letter; mended and sent again, it runs", async () => {
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
