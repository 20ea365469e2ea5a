/** How a message becomes a run: whose id it gets, what is said of it, where its file stands. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { headers } from "@nats-io/transport-node";
import { afterAll, expect, test } from "vitest";
import { CortexSystem, fixtureAgents } from "../../support/cortex-system.ts";

const trivial = { command: ["sh", "-c", `read -r line; echo '{"event":"finish","result":"ok"}'`] };
const { backends } = fixtureAgents("scripted");
const system = await CortexSystem.start({
  settings: { default_backend: "trivial", backends: { ...backends, trivial } },
});
afterAll(() => system[Symbol.asyncDispose]());

test("a bare message without an id becomes a run, and cortex gives it the next free id", async () => {
  const before = Date.now();
  system.publish(JSON.stringify({ prompt: "no id of mine" }));
  const isMine = () => system.events.find(({ event, prompt }) => event === "request" && prompt === "no id of mine");
  const request = await system.until(isMine, "the request is heard");
  expect(Number(request.agent_id)).toBeGreaterThanOrEqual(before);
  expect((await system.ended(request.agent_id)).at(-1)).toMatchObject({ event: "finish" });
});

test("a client that names an inbox hears that its request is recorded, and under which id", async () => {
  const id = system.nextId();
  expect(await system.answerTo({ ts: Number(id), prompt: "hello" })).toEqual({ accepted: true, agent_id: id });
  await system.ended(id);
});

test("agent_id alone is the id, and the file stands in the folder of the id's UTC day", async () => {
  system.publish(JSON.stringify({ agent_id: "1736380799999", prompt: "the last millisecond of the eighth" }));
  system.publish(JSON.stringify({ ts: 1736380800000, prompt: "the first one of the ninth" }));
  await system.ended("1736380799999");
  await system.ended("1736380800000");
  expect(existsSync(join(system.journal, "runs/20250108/1736380799999.jsonl"))).toBe(true);
  expect(existsSync(join(system.journal, "runs/20250109/1736380800000.jsonl"))).toBe(true);
});

test("the first line is the request as received, without the nulls", async () => {
  const id = system.request({ prompt: "hello", model: null, colour: { of: ["the", null] }, handoff: null });
  const [line] = await system.ended(id);
  expect(line).toEqual({
    event: "request",
    ts: Number(id),
    agent_id: id,
    seq: 1,
    prompt: "hello",
    colour: { of: ["the", null] },
  });
});

test("an answer goes to inboxes only: nobody can have cortex speak on another subject", async () => {
  const head = headers();
  head.set("Cortex-Reply", "cortex.status");
  system.bus.connection.publish("cortex.request", "no JSON", { headers: head });
  const id = system.nextId();
  await system.answerTo({ ts: Number(id), prompt: "later" });
  await system.until(() => system.rejected.length === 1, "the refusal is heard");
  expect(system.statuses.filter(({ worker }) => worker === undefined)).toEqual([]);
  await system.ended(id);
});
