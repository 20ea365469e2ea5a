import { expect, test } from "vitest";
import { errorBody, playGoogle } from "../../support/providers/google.ts";
import { startToolServer } from "../../support/tool-server.ts";
import { last, runGoogle, sentTo } from "./played-run.ts";

const refused = (message: string) => ({ status: 400, body: errorBody(400, "INVALID_ARGUMENT", message) });
const ok = { turn: { text: "ok" } };

// What is learnt stays: each test has a model of its own.

test("a model that doesn't think is asked without, and from then on at once", async () => {
  await using server = await playGoogle([refused("Thinking is not enabled for models/plain"), ok, ok]);
  const first = await runGoogle(server, { model: "plain", thinking_budget: 99 });
  const second = await runGoogle(server, { model: "plain" });
  expect([last(first), last(second)]).toMatchObject([{ result: "ok" }, { result: "ok" }]);
  expect(first.named("retry")).toEqual([]);
  expect(sentTo(server).map(({ generationConfig }) => generationConfig)).toEqual([
    { thinkingConfig: { includeThoughts: true, thinkingBudget: 99 } },
    {},
    {},
  ]);
});

test("a budget that a model doesn't take is left to the model", async () => {
  await using server = await playGoogle([
    refused("The thinking budget 99999 is invalid. Please choose a value between 512 and 24576."),
    ok,
  ]);
  await runGoogle(server, { model: "budgeted", thinking_budget: 99_999 });
  expect(sentTo(server)[1]?.generationConfig).toEqual({ thinkingConfig: { includeThoughts: true } });
});

test("a model that thinks in any case is let", async () => {
  await using server = await playGoogle([refused("Budget 0 is invalid. This model only works in thinking mode."), ok]);
  await runGoogle(server, { model: "thinker", thinking_budget: 0 });
  expect(sentTo(server)[1]?.generationConfig).toEqual({ thinkingConfig: { includeThoughts: true } });
});

test("a refusal that stays is the end", async () => {
  const message = "Thinking is not enabled for models/stubborn";
  await using server = await playGoogle([refused(message), refused(message)]);
  const run = await runGoogle(server, { model: "stubborn" });
  expect(last(run)).toMatchObject({ event: "error", error: `google answered 400: ${message}` });
  expect(server.requests).toHaveLength(2);
});

test("a call that nobody signed is marked where the API wants each to be signed", async () => {
  await using server = await playGoogle([ok]);
  const history = [
    { role: "user", text: "hello" },
    {
      role: "assistant",
      calls: [
        { call_id: "a", tool: "echo", args: {} },
        { call_id: "b", tool: "echo", args: {} },
      ],
    },
    { role: "tool", call_id: "a", result: "1" },
    { role: "tool", call_id: "b", result: "2" },
  ];
  // A later attempt: the prompt has been said, and the calls belong to the turn that goes on.
  const run = await runGoogle(server, {
    model: "strict",
    history,
    attempt: 2,
    prompt_in_history: true,
    prompt: "hello",
  });
  expect(last(run)).toMatchObject({ event: "finish", result: "ok" });
  expect(server.refusals).toEqual([expect.stringContaining("missing a thought_signature")]);
  expect(sentTo(server)[1]?.contents[1]?.parts).toMatchObject([
    { functionCall: { id: "a" }, thoughtSignature: "skip_thought_signature_validator" },
    { functionCall: { id: "b" } },
  ]);
});

test("signatures that aren't taken any more are left out, and the conversation goes on", async () => {
  await using tools = await startToolServer();
  await using server = await playGoogle([
    { turn: { thinking: "Hm.", calls: [{ tool: "echo", args: { text: "one" } }] } },
    ok,
  ]);
  const history = [
    { role: "user", text: "before" },
    {
      role: "assistant",
      text: "I said so.",
      reasoning: [
        { provider: "google", model: "moved", opaque: { part: "text", text: "", signature: "from another project" } },
      ],
    },
  ];
  const run = await runGoogle(server, { model: "moved", history, mcp_server_url: tools.url });
  expect(last(run)).toMatchObject({ event: "finish", result: "ok" });
  expect(server.refusals).toEqual(["Corrupted thought signature."]);
  expect(sentTo(server)[1]?.contents[1]?.parts).toEqual([{ text: "I said so." }]);
});
