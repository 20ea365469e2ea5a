/** Telemetry of a long-lived agent that sends a task off, in a whole `cortex up` with a played model. */
import { expect, test } from "vitest";
import { AgentsSystem } from "../agents/agents-system.ts";
import { sender } from "../agents/sender.ts";
import { OtlpReceiver } from "../support/otlp/otlp-receiver.ts";
import type { ReadSpan } from "../support/otlp/read-otlp.ts";

test("a task's turn links to the call that sent it off, and an agent's turns to each other", async () => {
  await using receiver = await OtlpReceiver.start();
  await using system = await AgentsSystem.start({ telemetry: { otlp_url: receiver.url } });
  system.think("[channel: ", sender);
  const calls = () => receiver.spans.filter(({ name }) => name === "execute_tool spawn_subagent");
  system.think("errand", async () => {
    await system.until(() => calls().length > 0, "the span of the call");
    return { text: "errand is done." };
  });
  const alpha = await system.channel("alpha");
  const agent = await system.main("room");
  await alpha.say("do errand");
  await alpha.heard("errand completed:\nerrand is done.");
  const task = await system.task("errand");
  const turnsOf = (id: string): ReadSpan[] =>
    receiver.spans.filter(
      ({ name, attributes }) => name.startsWith("invoke_agent ") && attributes["gen_ai.conversation.id"] === id,
    );
  await system.until(() => turnsOf(task).length > 0 && turnsOf(agent).length > 1, "their turns");
  const [call] = calls();
  expect(turnsOf(task)[0]?.links).toEqual([
    { traceId: call?.traceId, spanId: call?.spanId, attributes: { "cortex.link.kind": "task" } },
  ]);
  const [first, second] = turnsOf(agent);
  expect(call?.parentSpanId).toBe(first?.spanId);
  expect(second?.links).toEqual([
    { traceId: first?.traceId, spanId: first?.spanId, attributes: { "cortex.link.kind": "continuation" } },
  ]);
  const chats = receiver.spans.filter(
    ({ parentSpanId, name }) => parentSpanId === first?.spanId && name.startsWith("chat "),
  );
  for (const { attributes } of chats)
    expect(attributes).toMatchObject({
      "gen_ai.provider.name": "anthropic",
      "gen_ai.usage.input_tokens": expect.any(Number),
      "gen_ai.usage.output_tokens": expect.any(Number),
    });
  expect(chats.length).toBeGreaterThan(0);
  expect(receiver.problems).toEqual([]);
});
