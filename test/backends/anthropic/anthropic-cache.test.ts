import { expect, test } from "vitest";
import { fromEvents } from "../../../conversation/from-events.ts";
import { runOn } from "../../support/backends/anthropic-run.ts";
import { markedPrefixes } from "../../support/providers/anthropic-rules.ts";
import { startAnthropic } from "../../support/providers/anthropic.ts";
import { startToolServer } from "../../support/tool-server.ts";

const rounds = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    turn: {
      thinking: `Thought ${at}.`,
      text: `Round ${at}.`,
      calls: Array.from({ length: 8 }, (_, number) => ({ tool: "echo", args: { text: `${at}, ${number}` } })),
    },
  }));

test("each call begins with what the call before has marked, byte for byte, and reads it from the cache", async () => {
  await using tools = await startToolServer();
  await using played = await startAnthropic([...rounds(4), { turn: { text: "ok" } }], { hasCache: true });
  const run = await runOn(played, {
    mcp_server_url: tools.url,
    thinking_budget: 2000,
    instruction: "Be brief. ".repeat(50),
    extra_context: "It is Monday.",
  });
  expect(played.refusals).toEqual([]);
  const marked = played.requests.map(({ body }) => markedPrefixes(body).prefixes);
  expect(marked.map(({ length }) => length)).toEqual([2, 3, 3, 3, 3]);
  for (const [at, prefixes] of marked.entries()) {
    // Tools and instruction; the end of the call before; its own end.
    expect(prefixes[0]).toBe(marked[0]?.[0]);
    if (at > 0) expect(prefixes.at(-2)).toBe(marked[at - 1]?.at(-1));
    expect(prefixes[0]).not.toContain("It is Monday.");
    expect(prefixes.at(-1)).toBe(markedPrefixes(played.requests[at]?.body).whole);
  }
  const tokens = (prefix = "") => Math.ceil(prefix.length / 4);
  expect(run.named("usage").map((usage) => [usage["cached_input_tokens"], usage["cache_write_input_tokens"]])).toEqual(
    marked.map((prefixes, at) => {
      const read = at === 0 ? 0 : tokens(marked[at - 1]?.at(-1));
      return [read, tokens(prefixes.at(-1)) - read];
    }),
  );
});

test("another run of the persona reads tools and instruction, and a continued one the conversation where the day is the same", async () => {
  await using tools = await startToolServer();
  await using played = await startAnthropic(
    [{ turn: { text: "one" } }, { turn: { text: "two" } }, { turn: { text: "three" } }],
    {
      hasCache: true,
    },
  );
  const config = { mcp_server_url: tools.url, instruction: "Be brief. ".repeat(50), extra_context: "It is Monday." };
  const first = await runOn(played, config);
  const other = await runOn(played, { ...config, prompt: "Something else.", extra_context: "It is Tuesday." });
  const continued = await runOn(played, { ...config, prompt: "And?", history: fromEvents(first.events) });
  expect(played.refusals).toEqual([]);
  const [prefix, end] = markedPrefixes(played.requests[0]?.body).prefixes;
  const read = (run: typeof first) => run.named("usage")[0]?.["cached_input_tokens"];
  expect(read(first)).toBe(0);
  expect(read(other)).toBe(Math.ceil((prefix?.length ?? 0) / 4));
  expect(read(continued)).toBe(Math.ceil((end?.length ?? 0) / 4));
});

test("the tools are marked themselves without an instruction", async () => {
  await using tools = await startToolServer();
  await using played = await startAnthropic([{ turn: { text: "ok" } }]);
  await runOn(played, { mcp_server_url: tools.url });
  const { tools: described } = (played.requests[0]?.body ?? { tools: [] }) as { tools: Record<string, unknown>[] };
  expect(described.map((tool) => tool["cache_control"] !== undefined)).toEqual([
    ...described.slice(1).map(() => false),
    true,
  ]);
});
