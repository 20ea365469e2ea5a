/** A result that is too long for a model's window, read on by its path: in the run itself, and in the run that continues it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AgentEvent } from "../../../protocol/runs/event.ts";
import { CortexSystem } from "../../support/cortex-system.ts";
import { startAnthropic } from "../../support/providers/anthropic.ts";
import type { Reply } from "../../support/providers/played.ts";
import { startTools } from "../tools-server.ts";

const read = (path: string, lines: object = {}): Reply => ({
  turn: { calls: [{ tool: "get_resource", args: { path, ...lines } }] },
});
const done: Reply = { turn: { text: "done" } };
const named = (events: AgentEvent[], name: string) => events.filter(({ event }) => event === name);

test("a model reads on in a result of which it was given head and tail, also in a run that continues this one", async () => {
  const replies = [read("20250111/long.txt"), done];
  await using provider = await startAnthropic([], { answer: () => Promise.resolve(replies.shift() ?? done) });
  await using system = await CortexSystem.start({
    settings: { context_window: { "claude-haiku-4-5": 16_000 } },
    env: { ANTHROPIC_API_KEY: "sk-test-0123456789", ANTHROPIC_BASE_URL: provider.url },
  });
  await using _tools = await startTools(system.journal);
  mkdirSync(join(system.journal, "20250111"));
  const text = Array.from({ length: 400 }, (_, at) => `${at}: ${"some words ".repeat(6)}`).join("\n");
  writeFileSync(join(system.journal, "20250111", "long.txt"), text);

  const first = system.request({ prompt: "Read it.", backend: "anthropic", model: "claude-haiku-4-5" });
  const events = await system.settled(first);
  const callId = String(named(events, "tool_end")[0]?.["call_id"]);
  const sent = JSON.stringify(provider.requests.at(-1)?.body);
  expect(sent.slice(0, 20_000)).toContain(`Read on: get_resource with path result:${callId}.`);
  expect(sent).not.toContain("200: some words");

  replies.push(read(`result:${callId}`, { from: 201, to: 201 }), done);
  const next = system.request({
    prompt: "And in the middle?",
    continue_from: first,
    backend: "anthropic",
    model: "claude-haiku-4-5",
  });
  const [end] = named(await system.settled(next), "tool_end");
  expect(end).toMatchObject({ is_error: false, result: expect.stringContaining("200: some words") });
});
