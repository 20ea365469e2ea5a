import { expect, test } from "vitest";
import { fromChain, fromEvents } from "../../conversation/from-events.ts";
import type { EventBody } from "../../protocol/runs/event.ts";
import type { Message } from "../../protocol/runs/run-config.ts";

const request: EventBody = { event: "request", prompt: "what about the garden?", backend: "scripted" };
const start: EventBody = { event: "start", backend: "scripted", model: "m-1", prompt: "what about the garden?" };
const usage: EventBody = { event: "usage", input_tokens: 1 };
const asked: Message = { role: "user", text: "what about the garden?" };
const neverEnded = { cancelled: true, reason: "process restarted" };

const begin = (call_id: string, tool = "search", args: unknown = { q: call_id }): EventBody => ({
  event: "tool_start",
  tool,
  args,
  call_id,
});
const done = (call_id: string, result: unknown = `result of ${call_id}`): EventBody => ({
  event: "tool_end",
  call_id,
  result,
});
const called = (...ids: string[]): Message => ({
  role: "assistant",
  calls: ids.map((id) => ({ call_id: id, tool: "search", args: { q: id } })),
});
const result = (call_id: string): Message => ({ role: "tool", call_id, result: `result of ${call_id}` });
const cancelled = (call_id: string): Message => ({ role: "tool", call_id, result: neverEnded, is_error: true });
const said = (text: string): Message => ({ role: "assistant", text });

const table: [name: string, events: EventBody[], messages: Message[]][] = [
  ["nothing says nothing", [], []],
  ["a question and its answer", [request, start, { event: "finish", result: "It grows." }], [asked, said("It grows.")]],
  ["a run without a request line has its prompt from the start", [start], [asked]],
  [
    "an answer that was said before isn't said twice",
    [request, start, { event: "text", text: "It grows." }, { event: "finish", result: "It grows." }],
    [asked, said("It grows.")],
  ],
  [
    "text and the calls after it are one message, and text after calls begins another",
    [request, { event: "text", text: "Let me look." }, usage, begin("a"), done("a"), { event: "text", text: "So." }],
    [asked, { ...called("a"), text: "Let me look." }, result("a"), said("So.")],
  ],
  [
    "the calls of one turn, run one after the other, are one message",
    [request, usage, begin("a"), done("a"), begin("b"), done("b")],
    [asked, called("a", "b"), result("a"), result("b")],
  ],
  [
    "calls of two turns are two messages",
    [request, usage, begin("a"), done("a"), usage, begin("b"), done("b")],
    [asked, called("a"), result("a"), called("b"), result("b")],
  ],
  [
    "calls that ran side by side are one message, their results in the order of the calls",
    [request, begin("a"), begin("b"), done("b"), done("a")],
    [asked, called("a", "b"), result("a"), result("b")],
  ],
  [
    "reasoning stands before what it led to, with the provider and model that signed it",
    [
      request,
      start,
      { event: "thinking", summary: "hm", opaque: { sig: 1 } },
      { event: "thinking", opaque: "two", model: "m-2" },
      begin("a"),
      done("a"),
      { event: "thinking", opaque: "three" },
      { event: "finish", result: "So." },
    ],
    [
      asked,
      {
        ...called("a"),
        reasoning: [
          { provider: "scripted", model: "m-1", opaque: { sig: 1 }, summary: "hm" },
          { provider: "scripted", model: "m-2", opaque: "two" },
        ],
      },
      result("a"),
      { role: "assistant", reasoning: [{ provider: "scripted", model: "m-1", opaque: "three" }], text: "So." },
    ],
  ],
  [
    "reasoning without a signed block can't be given back",
    [request, { event: "thinking", summary: "hm" }, { event: "finish", result: "So." }],
    [asked, said("So.")],
  ],
  [
    "what the user said during a call stands behind its result",
    [request, begin("a"), { event: "input", text: "only May" }, done("a"), { event: "finish", result: "So." }],
    [asked, called("a"), result("a"), { role: "user", text: "only May" }, said("So.")],
  ],
  [
    "what the user said last is kept, though nothing answers it",
    [request, { event: "input", text: "only May" }],
    [asked, { role: "user", text: "only May" }],
  ],
  ["a call that never ended has a result that says so", [request, begin("a")], [asked, called("a"), cancelled("a")]],
  ["a result without a call is left out", [request, done("a")], [asked]],
  [
    "of two results the first counts",
    [request, begin("a"), done("a"), done("a", "other")],
    [asked, called("a"), result("a")],
  ],
  [
    "a later attempt goes on in the same conversation, and asks nothing twice",
    [
      request,
      start,
      begin("a"),
      { ...start, attempt: 2 },
      usage,
      begin("b"),
      done("b"),
      { event: "finish", result: "So." },
    ],
    [asked, called("a"), cancelled("a"), called("b"), result("b"), said("So.")],
  ],
  [
    "a tool's result keeps its form and its failure",
    [request, begin("a"), { ...done("a", { found: 0 }), is_error: true }],
    [asked, called("a"), { role: "tool", call_id: "a", result: { found: 0 }, is_error: true }],
  ],
  [
    "broken arguments are shown to the model as they were",
    [request, begin("a", "search", '{"q":'), done("a")],
    [asked, { role: "assistant", calls: [{ call_id: "a", tool: "search", args: { unparsed: '{"q":' } }] }, result("a")],
  ],
  [
    "events that are unknown, foreign or lack a field say nothing",
    [
      request,
      { event: "text" },
      { event: "text", text: 7 },
      { event: "tool_start", tool: "search" },
      { event: "finish" },
      { event: "info", message: "x" },
      { event: "constructor" },
      { event: "text", text: " \n" },
    ],
    [asked],
  ],
];

test.each(table)("%s", (_, events, messages) => {
  expect(fromEvents(events)).toEqual(messages);
});

test("a chain is one conversation, the oldest run first, with ids that are told apart", () => {
  const runs = ["one", "two"].map((prompt) => [
    { event: "request", prompt },
    begin("call_0"),
    done("call_0"),
    { event: "finish", result: `${prompt} it is` },
  ]);
  expect(fromChain(runs)).toEqual([
    { role: "user", text: "one" },
    called("call_0"),
    result("call_0"),
    said("one it is"),
    { role: "user", text: "two" },
    { role: "assistant", calls: [{ call_id: "call_0-2", tool: "search", args: { q: "call_0" } }] },
    { role: "tool", call_id: "call_0-2", result: "result of call_0" },
    said("two it is"),
  ]);
});
