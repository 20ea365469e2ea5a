/** Updates of a session as events of a run. */
import type { SessionNotification } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { EventMapper } from "../../../backends/acp/event-mapper.ts";
import { type TestRun, testRun } from "../../support/backends/agent-run.ts";

type Update = SessionNotification["update"];

const words = (text: string) => ({ type: "text" as const, text });
const says = (text: string, messageId?: string): Update => ({
  sessionUpdate: "agent_message_chunk",
  content: words(text),
  ...(messageId !== undefined && { messageId }),
});
const thinks = (text: string): Update => ({ sessionUpdate: "agent_thought_chunk", content: words(text) });
const calls = (toolCallId: string): Update => ({
  sessionUpdate: "tool_call",
  toolCallId,
  title: "ls",
  kind: "execute",
  status: "completed",
  rawInput: { command: "ls" },
});

async function take(updates: readonly Update[], config: Record<string, unknown> = {}) {
  const run = testRun(config);
  const events = new EventMapper(run, "m-1");
  for (const update of updates) await events.handle(update);
  return { run, events, answer: await events.takeAnswer() };
}

const names = ({ events }: TestRun) => events.map(({ event }) => event);

test("the words behind the last call are the answer; those before it are text", async () => {
  const { run, answer } = await take([says("I shall "), says("look."), calls("c1"), says("All is "), says("well.")]);
  expect(answer).toBe("All is well.");
  expect(names(run)).toEqual(["text", "tool_start", "tool_end"]);
  expect(run.events[0]).toMatchObject({ text: "I shall look." });
});

test("messages of their own are paragraphs of one answer", async () => {
  const { answer } = await take([says("One.", "a"), says("Two, ", "b"), says("and more.", "b")]);
  expect(answer).toBe("One.\n\nTwo, and more.");
});

test("a thought is whole once something else is said, and isn't part of the answer", async () => {
  const { run, answer } = await take([thinks("Hm, "), thinks("roses."), says("Roses."), thinks("Done.")]);
  expect(answer).toBe("Roses.");
  expect(run.events).toEqual([
    { event: "thinking", summary: "Hm, roses.", model: "m-1" },
    { event: "thinking", summary: "Done.", model: "m-1" },
  ]);
});

test("pieces go to whoever follows a run that streams, and to nobody else", async () => {
  const { run } = await take([says("On"), says("ce.")], { stream: true });
  expect(run.named("text_delta").map(({ text }) => text)).toEqual(["On", "ce."]);
  const { run: quiet } = await take([says("On"), says("ce.")]);
  expect(quiet.events).toEqual([]);
});

test("plans, notices and a change of its mode are told", async () => {
  const entries = [
    { content: "dig", priority: "high" as const, status: "completed" as const },
    { content: "plant", priority: "low" as const, status: "pending" as const },
  ];
  const { run } = await take([
    { sessionUpdate: "plan", entries },
    { sessionUpdate: "notice", title: "Slow.", description: "Its provider waits." } as Update,
    { sessionUpdate: "current_mode_update", currentModeId: "plan" },
  ]);
  expect(run.events).toEqual([
    { event: "info", message: "plan: 1 of 2 done", plan: entries },
    { event: "info", message: "Slow. Its provider waits." },
    { event: "info", message: "the agent works in the mode plan now" },
  ]);
});

test("the cost of a session is what it last said in dollars; another currency is none", async () => {
  const costs = (amount: number, currency: string): Update => ({
    sessionUpdate: "usage_update",
    used: 1,
    size: 2,
    cost: {
      amount,
      currency,
    },
  });
  const { events } = await take([costs(0.25, "USD"), costs(3, "EUR")]);
  expect(events.sessionCost).toBe(0.25);
  expect((await take([costs(3, "EUR")])).events.sessionCost).toBeNull();
});

test("what an agent shows beside text is named, and what is nothing that happens makes nothing", async () => {
  const image = { type: "image" as const, data: "AA==", mimeType: "image/png" };
  const { run, answer } = await take([
    { sessionUpdate: "agent_message_chunk", content: image },
    { sessionUpdate: "available_commands_update", availableCommands: [] },
    { sessionUpdate: "user_message_chunk", content: words("said before") },
  ]);
  expect(answer).toBe("[image: not shown]");
  expect(run.events).toEqual([]);
});

test("a long time in which it says nothing that is kept is told by a pulse", async () => {
  const run = testRun({});
  const events = new EventMapper(run, "m-1");
  await events.handle(thinks("Hm"));
  run.clock.pass(6_000);
  await events.handle(thinks("m"));
  await events.handle(thinks("m"));
  expect(names(run)).toEqual(["pulse"]);
});

test("what was said when a turn fails is text, and calls that were open end", async () => {
  const run = testRun({});
  const events = new EventMapper(run, "m-1");
  await events.handle(says("I shall look."));
  await events.handle({ ...calls("c1"), status: "in_progress" } as Update);
  await events.handle(says("And then"));
  await events.emitSaid();
  expect(names(run)).toEqual(["text", "tool_start", "text", "tool_end"]);
});
