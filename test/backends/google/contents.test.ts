import { afterAll, beforeAll, expect, test } from "vitest";
import { contentsOf } from "../../../backends/google/contents.ts";
import { fromChain } from "../../../conversation/from-events.ts";
import type { Message } from "../../../protocol/runs/run-config.ts";
import { playGoogle, startGoogle } from "../../support/providers/google.ts";
import { startToolServer, type ToolServer } from "../../support/tool-server.ts";
import { last, runGoogle, sentTo } from "./played-run.ts";

let tools: ToolServer;
beforeAll(async () => {
  tools = await startToolServer();
});
afterAll(() => tools[Symbol.asyncDispose]());

const echo = (text: string) => ({ tool: "echo", args: { text } });
const own = (opaque: unknown, summary?: string) => ({
  reasoning: [{ provider: "google", model: "m", opaque, ...(summary !== undefined && { summary }) }],
});
const same = (tool: string) => tool;

test.each([{}, { hasIds: true }, { signsAll: true }])(
  "a conversation with reasoning and calls is continued with each part as it was signed, %j",
  async (options) => {
    const turns = [
      { turn: { thinking: "Where to begin?", text: "Let me look.", calls: [echo("one"), echo("two")] } },
      { turn: { thinking: "Ah.", calls: [echo("three")] } },
      { turn: { thinking: "So it is.", text: "It is so." } },
    ];
    await using first = await startGoogle(turns, options);
    const begun = await runGoogle(first, { mcp_server_url: tools.url });
    // Events go through a file.
    const history = fromChain([JSON.parse(JSON.stringify(begun.events))]);
    await using second = await startGoogle([{ turn: { text: "Yes." } }], options);
    const run = await runGoogle(second, { mcp_server_url: tools.url, history, prompt: "Really?" });
    expect(last(run)).toMatchObject({ event: "finish", result: "Yes." });
    expect([...first.refusals, ...second.refusals]).toEqual([]);
    const before = sentTo(first).at(-1)?.contents ?? [];
    const after = sentTo(second)[0]?.contents ?? [];
    expect(after.slice(0, before.length)).toEqual(before);
    const answer = after[before.length];
    expect(answer?.role).toBe("model");
    expect(answer?.parts.filter((part) => part["thoughtSignature"])).not.toEqual([]);
    expect(after.at(-1)).toEqual({ role: "user", parts: [{ text: "Really?" }] });
  },
);

test("an altered signature would be found", async () => {
  await using first = await playGoogle([{ turn: { text: "It is so." } }]);
  const begun = await runGoogle(first, { model: "altered" });
  const history = JSON.parse(JSON.stringify(fromChain([begun.events])).replace(/"signature":"./, '"signature":"!'));
  await using second = await playGoogle([{ turn: { text: "Yes." } }]);
  await runGoogle(second, { model: "altered", history });
  expect(second.refusals).toEqual(["Corrupted thought signature."]);
});

test("the reasoning of another model is left out, its calls are kept", async () => {
  await using server = await playGoogle([{ turn: { text: "ok" } }]);
  const history = [
    { role: "user", text: "before" },
    {
      role: "assistant",
      ...own({ part: "call", call: 0, signature: "foreign" }),
      calls: [{ call_id: "toolu_1", ...echo("one") }],
    },
    { role: "tool", call_id: "toolu_1", result: { cancelled: true, reason: "process restarted" }, is_error: true },
  ];
  const run = await runGoogle(server, { history, prompt: "and now?" });
  expect(last(run)).toMatchObject({ event: "finish" });
  expect(server.refusals).toEqual([]);
  expect(sentTo(server)[0]?.contents.slice(1)).toEqual([
    { role: "model", parts: [{ functionCall: { id: "toolu_1", name: "echo", args: { text: "one" } } }] },
    {
      role: "user",
      parts: [
        {
          functionResponse: {
            id: "toolu_1",
            name: "echo",
            response: { error: '{"cancelled":true,"reason":"process restarted"}' },
          },
        },
        { text: "and now?" },
      ],
    },
  ]);
});

test.each<[string, Message[], unknown]>([
  [
    "neighbours of one role become one content, and what says nothing is left out",
    [
      { role: "user", text: "a" },
      { role: "user", text: " " },
      { role: "user", text: "b" },
      { role: "assistant", text: "c" },
      { role: "assistant", text: "d" },
      { role: "user", text: "" },
    ],
    [
      { role: "user", parts: [{ text: "a" }, { text: "b" }] },
      { role: "model", parts: [{ text: "c" }, { text: "d" }] },
    ],
  ],
  [
    "an answer at the beginning gets something to answer",
    [{ role: "assistant", text: "c" }],
    [
      { role: "user", parts: [{ text: "(What was said before is lost.)" }] },
      { role: "model", parts: [{ text: "c" }] },
    ],
  ],
  [
    "a signed piece inside of the text is cut out of it",
    [
      { role: "user", text: "a" },
      { role: "assistant", text: "one two three", ...own({ part: "text", text: "two", signature: "s" }) },
    ],
    [
      { role: "user", parts: [{ text: "a" }] },
      { role: "model", parts: [{ text: "one " }, { text: "two", thoughtSignature: "s" }, { text: " three" }] },
    ],
  ],
  [
    "a signature of words that aren't there any more, or of no known form, is left out",
    [
      { role: "user", text: "a" },
      { role: "assistant", text: "one", ...own({ part: "text", text: "two", signature: "s" }) },
      { role: "assistant", text: "two", ...own({ part: "other", signature: "s" }) },
      { role: "assistant", text: "three", ...own("s") },
    ],
    [
      { role: "user", parts: [{ text: "a" }] },
      { role: "model", parts: [{ text: "one" }, { text: "two" }, { text: "three" }] },
    ],
  ],
  [
    "a reference inside of a result stays text",
    [
      { role: "user", text: "a" },
      { role: "assistant", calls: [{ call_id: "1", tool: "t", args: {} }] },
      { role: "tool", call_id: "1", result: { $ref: "#/x" } },
    ],
    [
      { role: "user", parts: [{ text: "a" }] },
      { role: "model", parts: [{ functionCall: { id: "1", name: "t", args: {} } }] },
      { role: "user", parts: [{ functionResponse: { id: "1", name: "t", response: { output: '{"$ref":"#/x"}' } } }] },
    ],
  ],
])("%s", (_, messages, contents) => {
  expect(contentsOf(messages, "kept", same, { model: "gemini-3.8-flash", hasSearches: false })).toEqual(contents);
});
