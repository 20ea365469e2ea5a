import { expect, test } from "vitest";
import { AgentProcess } from "../../support/backends/agent-process.ts";
import { openaiError } from "../../support/providers/openai-errors.ts";
import { playDialect, playOpenai } from "../../support/providers/openai.ts";
import { playOpenrouter } from "../../support/providers/openrouter.ts";
import { startToolServer } from "../../support/tool-server.ts";

const key = "sk-test-0123456789abcdef";

/** The whole of what a process says, once it has left. */
async function said(variables: Record<string, string>, config: Record<string, unknown>): Promise<AgentProcess> {
  await using agent = new AgentProcess(variables);
  agent.write({ prompt: "hello", backend: "openai", model: "m", ...config }).end();
  await agent.exit();
  return agent;
}

test("cortex-agent answers over Responses, with tools", async () => {
  await using tools = await startToolServer();
  const calls = [{ tool: "echo", args: { text: "ü🌻" } }];
  await using server = await playOpenai([
    { turn: { thinking: "hm", calls }, pieceBytes: 3 },
    { turn: { text: "Done." } },
  ]);
  const config = { openai: { api: "responses" }, mcp_server_url: tools.url };
  const { events, stderr } = await said({ OPENAI_API_KEY: key, OPENAI_BASE_URL: server.url }, config);
  expect(server.refusals).toEqual([]);
  expect(events.map(({ event }) => event)).toEqual([
    "start",
    "usage",
    "thinking",
    "tool_start",
    "tool_end",
    "usage",
    "finish",
  ]);
  expect(events.at(-1)).toMatchObject({ result: "Done." });
  expect(stderr).toBe("");
});

test("cortex-agent answers over Chat Completions, without a key", async () => {
  await using server = await playDialect({})([{ turn: { text: "Done." } }]);
  const { events } = await said({ OPENAI_BASE_URL: server.url }, {});
  expect(events.at(-1)).toMatchObject({ event: "finish", result: "Done." });
});

test("cortex-agent answers over OpenRouter", async () => {
  await using server = await playOpenrouter([{ turn: { text: "Done." } }]);
  const variables = { OPENROUTER_API_KEY: key, OPENROUTER_BASE_URL: server.url };
  const { events } = await said(variables, { backend: "openrouter" });
  expect(events.at(-1)).toMatchObject({ event: "finish", result: "Done." });
});

test("the key is in nothing that the process says, also where the server repeats it", async () => {
  const message = `Incorrect API key provided: ${key}. You can find yours at …`;
  const refusal = { status: 401, body: openaiError(message, "invalid_api_key") };
  const telling = { turn: { thinking: `it is ${key}`, text: `Your key is ${key}.` } };
  for (const [api, play] of [
    ["responses", playOpenai],
    ["chat", playDialect({})],
  ] as const) {
    await using server = await play([refusal, telling]);
    const variables = { OPENAI_API_KEY: key, OPENAI_BASE_URL: server.url };
    const config = { openai: { api }, stream: true };
    const refused = await said(variables, config);
    expect(refused.events.at(-1)).toMatchObject({ event: "error", reason: "config" });
    const told = await said(variables, config);
    expect(told.events.at(-1)).toMatchObject({ event: "finish", result: "Your key is ***." });
    for (const { events, stderr } of [refused, told]) expect(JSON.stringify(events) + stderr).not.toContain(key);
  }
});

test("a stream that isn't JSON leaves no piece of it on stderr", async () => {
  const body = `data: {"key":"${key}", nonsense\n\n`;
  const headers = { "content-type": "text/event-stream" };
  await using server = await playDialect({})([{ status: 200, headers, body }]);
  await using agent = new AgentProcess({ OPENAI_API_KEY: key, OPENAI_BASE_URL: server.url });
  agent.write({ prompt: "hello", backend: "openai", model: "m" });
  await agent.until(({ event }) => event === "retry");
  agent.write({ type: "cancel" }).end();
  await agent.exit();
  expect(JSON.stringify(agent.events) + agent.stderr).not.toContain(key);
});
