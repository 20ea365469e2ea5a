/** What is said to an agent becomes turns, each a run of cortex, and stands in its files. */
import { expect, test, vi } from "vitest";
import { AgentsSystem } from "./agents-system.ts";

vi.setConfig({ testTimeout: 150_000 });

test("messages are answered one turn after the other, in one conversation, and recorded", async () => {
  await using system = await AgentsSystem.start(({ last }) => ({ text: `I think of: ${last}` }));
  const alpha = await system.channel("alpha");
  await alpha.say("one");
  await alpha.say("two", { replyTo: "t1" });
  const agent = await system.agentOf({ type: "alpha", channelId: "room", userId: "owner" });
  await system.until(() => system.news.filter(({ event }) => event === "turn_ended").length === 2, "two turns");
  const texts = system
    .history(agent)
    .map((record) => ("text" in record ? `${record.type}: ${String(record.text)}` : record.type));
  expect(texts).toEqual([
    "start",
    "user: [channel: alpha | id: room]\none",
    "assistant: I think of: [channel: alpha | id: room]\none",
    "user: [channel: alpha | id: room | thread: t1]\ntwo",
    "assistant: I think of: [channel: alpha | id: room | thread: t1]\ntwo",
  ]);
  expect(system.asked[1]?.said).toHaveLength(2);
  expect(system.asked[1]?.system).toBe(system.asked[0]?.system);
  expect(system.model.refusals).toEqual([]);
});
