import { afterAll, expect, test } from "vitest";
import { openrouter } from "../../backends/openrouter/provider.ts";
import { fromChain } from "../../conversation/from-events.ts";
import { runScript, type TestRun, testRun } from "../support/backends/agent-run.ts";
import { playOpenrouter, playOpenrouterAt } from "../support/providers/openrouter.ts";
import { playedUsage, type PlayedServer, type Reply } from "../support/providers/played.ts";
import { startToolServer } from "../support/tool-server.ts";

const tools = await startToolServer();
afterAll(() => tools[Symbol.asyncDispose]());

type Ran = { run: TestRun; server: PlayedServer };

async function ran(replies: Reply[], config: Record<string, unknown> = {}, play = playOpenrouter): Promise<Ran> {
  await using server = await play(replies);
  const environment = { OPENROUTER_API_KEY: "sk-or-0123456789", OPENROUTER_BASE_URL: server.url };
  const run = { ...testRun({ mcp_server_url: tools.url, ...config }), environment };
  await runScript(run, openrouter(run.config, environment));
  return { run, server };
}

test("reasoning details go back whole and signed, in each turn and in a later run", async () => {
  const rounds: Reply[] = [
    {
      turn: {
        thinking: "first thoughts of some length",
        text: "I look.",
        calls: [{ tool: "echo", args: { text: "1" } }],
      },
    },
    { turn: { thinking: "second", calls: [{ tool: "echo", args: { text: "2" } }] } },
    { turn: { thinking: "third", text: "Done." } },
  ];
  const { run, server } = await ran(rounds, { thinking_budget: 2000, max_tokens: 4000 });
  expect(server.refusals).toEqual([]);
  expect(server.requests[0]?.path).toBe("/api/v1/chat/completions");
  expect(server.requests[0]?.body).toMatchObject({
    reasoning: { max_tokens: 2000 },
    max_tokens: 4000,
    model: "openrouter/auto",
  });
  expect(run.named("thinking")[0]).toMatchObject({
    summary: "first thoughts of some length",
    opaque: {
      reasoning_details: [
        { type: "reasoning.text", text: "first thoughts of some length", signature: expect.any(String) },
      ],
    },
  });
  const history = fromChain([[{ event: "request", prompt: "hello", backend: "openrouter" }, ...run.events]]);
  const later = await ran([{ turn: { text: "again" } }], { history });
  expect(later.server.refusals).toEqual([]);
  expect(JSON.stringify(later.server.requests[0]?.body)).toContain("first thoughts of some length");
});

test("a call costs what OpenRouter says, else what the price list does", async () => {
  const own = await ran([{ turn: { text: "Hi." } }], {}, playOpenrouterAt(0.0125));
  expect(own.run.named("usage")).toMatchObject([{ cost_usd: 0.0125, input_tokens: playedUsage.input }]);
  const listed = await ran([{ turn: { text: "Hi." } }], { model: "openai/gpt-5" });
  // 1.25 and 10 dollars for a million of input and output, 0.125 for cached input.
  const cost =
    ((playedUsage.input - playedUsage.cached) * 1.25 + playedUsage.cached * 0.125 + playedUsage.output * 10) / 1e6;
  expect(listed.run.named("usage")).toMatchObject([{ cost_usd: expect.closeTo(cost, 10) }]);
});

test("the message of the provider behind it is passed on", async () => {
  const error = {
    message: "Provider returned error",
    code: 400,
    metadata: { raw: "max_tokens: too high", provider_name: "X" },
  };
  const { run } = await ran([{ status: 400, body: { error } }]);
  expect(run.events.at(-1)).toMatchObject({
    error: "openrouter answered 400: Provider returned error: max_tokens: too high",
  });
});

test("openrouter needs a key", () => {
  expect(() => openrouter(testRun({}).config, {})).toThrow("openrouter needs a key: set OPENROUTER_API_KEY");
});
