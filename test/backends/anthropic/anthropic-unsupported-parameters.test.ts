import { afterAll, beforeAll, expect, test } from "vitest";
import { fromEvents } from "../../../conversation/from-events.ts";
import { runOn, runWith } from "../../support/backends/anthropic-run.ts";
import { errorBody, startAnthropic } from "../../support/providers/anthropic.ts";
import type { PlayedRequest, Reply } from "../../support/providers/played.ts";
import { startToolServer, type ToolServer } from "../../support/tool-server.ts";

let tools: ToolServer;
beforeAll(async () => {
  tools = await startToolServer();
});
afterAll(() => tools[Symbol.asyncDispose]());

const refused = (message: string): Reply => ({ status: 400, body: errorBody("invalid_request_error", message) });
const oneCall: Reply = { turn: { thinking: "Hm.", calls: [{ tool: "echo", args: { text: "one" } }] } };
const answer: Reply = { turn: { text: "ok" } };
const body = (request: PlayedRequest | undefined) => request?.body as Record<string, unknown>;
const fields = (requests: PlayedRequest[], name: string) => requests.map((request) => body(request)[name]);

const needsAdaptive =
  '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.';

test("a model that takes no budget thinks adaptively, and is asked so at once from then on", async () => {
  await using played = await startAnthropic([refused(needsAdaptive), oneCall, answer]);
  const run = await runOn(played, { mcp_server_url: tools.url, thinking_budget: 2000 });
  expect(run.events.at(-1)).toMatchObject({ event: "finish" });
  expect(run.named("retry")).toEqual([]);
  expect(fields(played.requests, "thinking")).toEqual([
    { type: "enabled", budget_tokens: 2000 },
    { type: "adaptive", display: "summarized" },
    { type: "adaptive", display: "summarized" },
  ]);
  expect(played.refusals).toEqual([]);
});

test("a model that can't think answers without", async () => {
  const { last, played } = await runWith(
    [refused(needsAdaptive), refused("adaptive thinking is not supported on this model"), answer],
    { thinking_budget: 2000 },
  );
  expect(last).toMatchObject({ event: "finish", result: "ok" });
  expect(body(played.requests[2])).not.toHaveProperty("thinking");
});

test("a budget of 0 asks for no thinking, where the model can be asked that", async () => {
  const { last, played } = await runWith(
    [refused('"thinking.type.disabled" is not supported for this model.'), answer],
    {
      thinking_budget: 0,
    },
  );
  expect(last).toMatchObject({ event: "finish" });
  expect(fields(played.requests, "thinking")).toEqual([{ type: "disabled" }, undefined]);
});

test("a temperature is asked of the version of the API that takes one", async () => {
  const { last, played } = await runWith([answer], { temperature: 0.2 });
  expect(last).toMatchObject({ event: "finish" });
  expect(played.refusals).toEqual([]);
  expect(body(played.requests[0])["temperature"]).toBe(0.2);
  expect(played.requests[0]?.headers["anthropic-version"]).toBe("2023-06-01");
});

test("a model that takes no temperature isn't asked again", async () => {
  await using played = await startAnthropic([refused("`temperature` is deprecated for this model."), oneCall, answer]);
  const run = await runOn(played, { mcp_server_url: tools.url, temperature: 0.2 });
  expect(run.events.at(-1)).toMatchObject({ event: "finish" });
  expect(fields(played.requests, "temperature")).toEqual([0.2, undefined, undefined]);
});

test("no temperature is sent with thinking", async () => {
  const { played } = await runWith([answer], { temperature: 0.2, thinking_budget: 2000 });
  expect(played.refusals).toEqual([]);
  expect(body(played.requests[0])).not.toHaveProperty("temperature");
});

test.each([
  // The user's limit stands; where it leaves nothing for the answer, half is for thinking.
  [{ thinking_budget: 4000, max_tokens: 5000 }, 5000, 4000],
  [{ thinking_budget: 4000, max_tokens: 4000 }, 4000, 2000],
  [{ thinking_budget: 10, max_tokens: 4000 }, 4000, 1024],
  [{ thinking_budget: 4000, max_tokens: 1500 }, 1500, undefined],
  [{ thinking_budget: 4000.7 }, 36_000, 4000],
])("%j: a limit of %s tokens, %s of them for thinking", async (config, max_tokens, budget_tokens) => {
  const { played } = await runWith([answer], config);
  expect(played.refusals).toEqual([]);
  expect(body(played.requests[0])["max_tokens"]).toBe(max_tokens);
  expect(body(played.requests[0])["thinking"]).toEqual(budget_tokens && { type: "enabled", budget_tokens });
});

const overMaximum = "max_tokens: 52000 > 8192, which is the maximum allowed number of output tokens for claude-x";

test("a limit that is ours is lowered to the model's, and the budget with it", async () => {
  const { last, played } = await runWith([refused(overMaximum), answer], { thinking_budget: 20_000 });
  expect(last).toMatchObject({ event: "finish" });
  expect(fields(played.requests, "max_tokens")).toEqual([52_000, 8192]);
  expect(fields(played.requests, "thinking").at(-1)).toEqual({ type: "enabled", budget_tokens: 4096 });
});

test("a limit that is the user's isn't: the run ends with what the API says", async () => {
  const { last, played } = await runWith([refused(overMaximum)], { max_tokens: 52_000 });
  expect(last).toMatchObject({ event: "error", reason: "provider", error: expect.stringContaining("52000 > 8192") });
  expect(played.requests).toHaveLength(1);
});

const otherConversation =
  'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".';

test("reasoning that the API takes no more is left out, and what comes after it is kept", async () => {
  const other: Reply = { turn: { thinking: "Now.", calls: [{ tool: "echo", args: { text: "two" } }] } };
  await using played = await startAnthropic([oneCall, answer, refused(otherConversation), other, answer]);
  const config = { mcp_server_url: tools.url, thinking_budget: 2000 };
  const first = await runOn(played, config);
  const second = await runOn(played, { ...config, prompt: "And?", history: fromEvents(first.events) });
  expect(played.refusals).toEqual([]);
  expect(second.events.at(-1)).toMatchObject({ event: "finish", result: "ok" });
  const thoughts = played.requests.map((request) => JSON.stringify(request.body).split('"type":"thinking"').length - 1);
  // The second run's last call holds its own alone.
  expect(thoughts).toEqual([0, 1, 1, 0, 1]);
});

test("reasoning that was altered is refused by the server, and the run goes on without it", async () => {
  await using played = await startAnthropic([oneCall, answer, answer]);
  const first = await runOn(played, { mcp_server_url: tools.url });
  const altered = JSON.parse(JSON.stringify(first.events).replaceAll('"thinking":"Hm."', '"thinking":"Ha."'));
  const second = await runOn(played, { mcp_server_url: tools.url, history: fromEvents(altered) });
  expect(played.refusals).toEqual(["messages.1.content.0: Invalid `signature` in `thinking` block"]);
  expect(second.events.at(-1)).toMatchObject({ event: "finish" });
});

test.each(["thinking.type: what is this?", "messages.0.content: no `thinking` here", "temperature: range: 0..1"])(
  "any other refusal ends the run at once: %s",
  async (message) => {
    const { last, played } = await runWith([refused(message)], { thinking_budget: 2000, temperature: 3 });
    expect(last).toMatchObject({ event: "error", reason: "provider", error: `anthropic answered 400: ${message}` });
    expect(played.requests).toHaveLength(1);
  },
);

test("a refusal that comes again ends the run", async () => {
  const { last, played } = await runWith(
    [refused(needsAdaptive), refused(needsAdaptive), refused(needsAdaptive), answer],
    {
      thinking_budget: 2000,
    },
  );
  expect(last).toMatchObject({ event: "error", reason: "provider" });
  expect(played.requests).toHaveLength(3);
});
