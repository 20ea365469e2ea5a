/** Conversations that go on: the API's own, with reasoning and calls, and another provider's. */
import { expect, test } from "vitest";
import { fromEvents } from "../../../conversation/from-events.ts";
import { body, messages, runOn } from "../../support/backends/anthropic-run.ts";
import { useToolServer } from "../../support/backends/run-with-tools.ts";
import { redacted, startAnthropic } from "../../support/providers/anthropic.ts";

const withTools = useToolServer();

test("a conversation with reasoning and calls is continued: nothing is refused", async () => {
  await using played = await startAnthropic([
    { turn: { thinking: "Hm.", calls: [{ tool: "echo", args: { text: "one" } }] } },
    { turn: { thinking: "So.", text: "It says one." } },
    { turn: { thinking: "Again.", text: "Still one." } },
  ]);
  const config = withTools({ thinking_budget: 4000 });
  const first = await runOn(played, config);
  const second = await runOn(played, { ...config, prompt: "And now?", history: fromEvents(first.events) });
  expect(played.refusals).toEqual([]);
  expect(second.named("finish")).toMatchObject([{ result: "Still one." }]);
  const thoughts = first.named("thinking").map(({ opaque }) => opaque);
  const sent = messages(played.requests[2]);
  expect(sent.map(({ role, content }) => [role, ...content.map(({ type }) => type)])).toEqual([
    ["user", "text"],
    ["assistant", "thinking", "tool_use"],
    ["user", "tool_result"],
    ["assistant", "thinking", "text"],
    ["user", "text"],
  ]);
  expect([sent[1]?.content[0], sent[3]?.content[0]]).toEqual(thoughts);
});

test("calls of another provider are continued without its reasoning, with thinking from the next turn on", async () => {
  await using played = await startAnthropic([{ turn: { thinking: "New.", text: "ok" } }]);
  const calls = [{ call_id: "functions.echo:0", tool: "shop.buy item", args: { what: "\ud800" } }];
  const history = [
    { role: "assistant", text: "Hello, I am another." },
    { role: "user", text: "Buy it." },
    { role: "assistant", calls, reasoning: [{ provider: "openai", model: "o", opaque: { type: "thinking" } }] },
    { role: "tool", call_id: "functions.echo:0", result: "" },
    { role: "tool", call_id: "unknown", result: "orphan" },
    { role: "assistant", text: "Bought." },
    { role: "user", text: "a" },
    { role: "user", text: "b\udfff" },
  ];
  await runOn(played, { history, thinking_budget: 1024 });
  expect(played.refusals).toEqual([]);
  const sent = messages(played.requests[0]);
  expect(sent[0]?.role).toBe("user");
  expect(sent[3]?.content).toMatchObject([{ id: expect.stringMatching(/^functions_echo_0_[0-9a-f]{12}$/) }]);
  expect(sent[4]?.content).toEqual([{ type: "tool_result", tool_use_id: sent[3]?.content[0]?.["id"] }]);
  expect(sent.at(-1)?.content.map(({ text }) => text)).toEqual(["a", "b\ufffd", "hello"]);
  expect(body(played.requests[0])).toMatchObject({
    thinking: { type: "enabled" },
    tools: [{ name: sent[3]?.content[0]?.["name"] }],
    tool_choice: { type: "none" },
  });
});

test("a turn that another model began with calls is ended without thinking: the API takes none there", async () => {
  await using played = await startAnthropic([
    { turn: { calls: [{ tool: "echo", args: { text: "two" } }] } },
    { turn: { text: "ok" } },
  ]);
  const history = [
    { role: "user", text: "hello" },
    { role: "assistant", calls: [{ call_id: "c1", tool: "echo", args: { text: "one" } }] },
    { role: "tool", call_id: "c1", result: "one" },
  ];
  const run = await runOn(played, withTools({ history, attempt: 2, prompt_in_history: true, thinking_budget: 2000 }));
  expect(played.refusals).toEqual([]);
  expect(run.named("finish")).toHaveLength(1);
  expect(body(played.requests[0])).not.toHaveProperty("thinking");
});

test("reasoning that no one can read is kept and goes back as well", async () => {
  await using played = await startAnthropic([
    { turn: { thinking: `${redacted} secret`, calls: [{ tool: "echo", args: { text: "one" } }] } },
    { turn: { text: "ok" } },
  ]);
  const run = await runOn(played, withTools({ thinking_budget: 1024 }));
  expect(played.refusals).toEqual([]);
  const [thought] = run.named("thinking");
  expect(thought).toMatchObject({ opaque: { type: "redacted_thinking" } });
  expect(thought).toHaveProperty("summary", undefined);
  expect(messages(played.requests[1])[1]?.content[0]).toEqual(thought?.["opaque"]);
});
