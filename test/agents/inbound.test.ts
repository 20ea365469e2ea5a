/** What comes into agents on a whole system: a flood shuts nobody out, a message that can't be taken is given up and told. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { agentIdOf } from "../../agents/record/agent-id.ts";
import { inboxLimits } from "../../agents/inbound-reader.ts";
import { inboundLimits, inboundStream } from "../../bus/agents/inbound.ts";
import { listQuarantine } from "../../journal/quarantine/quarantine.ts";
import { runCortex } from "../scripts/run-command.ts";
import type { Conversation } from "./conversation.ts";
import { AgentsSystem } from "./agents-system.ts";

const system = await AgentsSystem.start();
afterAll(() => system[Symbol.asyncDispose]());
/** A model that replies where it was asked. */
const replying =
  (text: string) =>
  ({ last, results }: Conversation) => {
    const channelId = /\| id: ([^ \]|]+)/.exec(last)?.[1] ?? "";
    return results.length > 0 ? { text: "done" } : { calls: [{ tool: "reply", args: { text, channelId } }] };
  };
const waiting = async (type: string) => {
  const { streams } = await (await system.as("agents")).manager();
  return (await streams.info(inboundStream(type))).state.messages;
};

test("a message that can't be taken is put away at the third failure and told; what comes behind it is taken", async () => {
  const gamma = await system.channel("gamma");
  const agents = join(system.journal, "agents");
  mkdirSync(agents, { recursive: true });
  // Something else stands where its agent's folder would be.
  const key = { kind: "user", connector: "gamma", channelId: "room", userId: "poison" } as const;
  writeFileSync(join(agents, agentIdOf(key)), "no folder");
  system.think("who is there", replying("I am"));
  await gamma.say("poison", { userId: "poison" });
  await gamma.say("who is there");
  await gamma.heard("I am");
  await gamma.heard(/couldn't be taken in, three times/);
  const [one, ...more] = listQuarantine(system.journal);
  expect(more).toEqual([]);
  expect(one?.record).toMatchObject({ store: "inbound", failures: 3 });
  const doctor = await runCortex(system.journal, ["doctor"]);
  expect(doctor.stdout).toContain("inbound");
  // Started anew, the service doesn't meet it again.
  await system.killAgents();
  await system.until(async () => (await waiting("gamma")) === 0, "nothing is left");
  expect(listQuarantine(system.journal)).toHaveLength(1);
});

test("a flood on one channel is refused when as much waits as may, and the others speak on", async () => {
  const [alpha, beta] = [await system.channel("alpha"), await system.channel("beta")];
  const held = Promise.withResolvers<void>();
  system.think("flood", async () => {
    await held.promise;
    return { text: "done" };
  });
  const text = `flood ${"x".repeat(240_000)}`;
  let count = 0;
  const flood = async () => {
    for (; count < 2000; count++) await beta.say(text, { id: `flood-${count}` });
  };
  await expect(flood()).rejects.toThrow(/the channel beta is full: .* send it again in 30 s/);
  expect(count * text.length).toBeGreaterThan(inboundLimits.max_bytes);
  expect(count * text.length).toBeLessThan(1.2 * (inboundLimits.max_bytes + inboxLimits.bytes));
  system.think("still there", replying("Yes."));
  await alpha.say("still there?");
  await alpha.heard("Yes.");
  const chat = await runCortex(system.journal, ["chat", "are you still there"]);
  expect([chat.code, chat.stdout]).toEqual([0, "Yes."]);
  held.resolve();
});
