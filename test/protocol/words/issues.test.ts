import { expect, test } from "vitest";
import { InboundMessage } from "../../../protocol/agents/channel.ts";
import { issueTexts } from "../../../protocol/words/issues.ts";
import { Request } from "../../../protocol/runs/request/request.ts";
import { Settings } from "../../../protocol/settings/settings.ts";

test.each([
  [{ prompt: 4 }, "prompt: expected string, got 4"],
  [{}, "prompt: expected string, got nothing"],
  [{ prompt: "  " }, 'prompt: expected text, not blank, got "  "'],
  [{ prompt: "x", timeout_seconds: -1 }, "timeout_seconds: expected number to be >0, got -1"],
  [{ prompt: "x", priority: 1.5 }, "priority: expected a whole number, got 1.5"],
  [{ prompt: "x", tools: 7 }, "tools: expected string or array, got 7"],
  [{ prompt: "x", tools: ["a", 7] }, "tools.1: expected string, got 7"],
  [{ prompt: "x", mcp_server_url: "nope" }, 'mcp_server_url: expected a URL, got "nope"'],
  [{ prompt: "x", handoff: { day: 5 } }, "handoff.day: expected string, got 5"],
  [
    { prompt: "x", ts: 1736380800000, agent_id: "1736380800001" },
    'agent_id: expected the same digits as ts, got "1736380800001"',
  ],
  [7, "expected object, got 7"],
])("a request %j is told as: %s", (value, text) => {
  const { error } = Request.safeParse(value);
  expect(error && issueTexts(error, value)).toEqual([text]);
});

test.each([
  [{ openai: { api: "soap" } }, 'openai.api: expected one of "responses"|"chat", got "soap"'],
  [{ mcp: { port: 99999 } }, "mcp.port: expected number to be <=65535, got 99999"],
  [
    { backends: { "A B": { command: ["x"] } } },
    "backends.A B: expected a name that matches /^[a-z0-9][a-z0-9_-]{0,63}$/",
  ],
])("settings %j are told as: %s", (value, text) => {
  const { error } = Settings.safeParse(value);
  expect(error && issueTexts(error, value)).toEqual([text]);
});

test("the values of env are secrets, and not shown", () => {
  const value = { prompt: "x", env: { TOKEN: 12345 } };
  const { error } = Request.safeParse(value);
  expect(error && issueTexts(error, value)).toEqual(["env.TOKEN: expected string, got a secret"]);
});

test("a long value is shown in part", () => {
  const value = { prompt: "x", priority: "y".repeat(10_000) };
  const { error } = Request.safeParse(value);
  expect(error && issueTexts(error, value)[0]?.length).toBeLessThan(200);
});

test("a text that is too long is told by its length, and not by what it says", () => {
  const value = { id: "1", channel: { type: "cli", channelId: "main" }, text: "private ".repeat(40_000) };
  const { error } = InboundMessage.safeParse(value);
  expect(error && issueTexts(error, value)).toEqual([
    "text: expected string to have <=262144 characters, got 320000 characters",
  ]);
});
