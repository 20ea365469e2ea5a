import { expect, test } from "vitest";
import { EventUpdates } from "../../../acp/updates/event-updates.ts";
import type { AgentEvent } from "../../../protocol/runs/event.ts";

const run = "1736380800000";
const event = (name: string, fields: object = {}): AgentEvent => ({
  event: name,
  ts: 0,
  agent_id: run,
  seq: 1,
  ...fields,
});
const text = (words: string) => ({ type: "text", text: words });
const says = (words: string) => ({ sessionUpdate: "agent_message_chunk", content: text(words) });
const thinks = (words: string) => ({ sessionUpdate: "agent_thought_chunk", content: text(words) });
const asked = (words: string) => ({ sessionUpdate: "user_message_chunk", content: text(words) });
const call = { tool: "bash", args: { command: "ls" }, call_id: "c1" };
const shape = { title: "ls", name: "bash", kind: "execute", rawInput: { command: "ls" }, locations: [] };
const begins = (fields: object = {}) => ({
  sessionUpdate: "tool_call",
  toolCallId: `${run}:c1`,
  ...shape,
  status: "in_progress",
  ...fields,
});
const ends = (status: string, content?: object[]) => ({
  sessionUpdate: "tool_call_update",
  toolCallId: `${run}:c1`,
  status,
  ...(content && { content }),
});
const shown = (words: string) => [{ type: "content", content: text(words) }];

const updatesOf = (events: AgentEvent[], isReplayed: boolean, isAgent = false) => {
  const updates = new EventUpdates({ journal: "/journal", isAgent });
  return events.flatMap((one) => updates.next(one, isReplayed));
};

test.each<[string, AgentEvent[], object[]]>([
  ["a prompt, which the editor knows", [event("request", { prompt: "Hello" })], []],
  ["an input", [event("input", { text: "Only this year." })], [asked("Only this year.")]],
  [
    "a text that streams",
    [
      event("text_delta", { text: "One " }),
      event("text", { text: "One two." }),
      event("finish", { result: "One two." }),
    ],
    [says("One "), says("two.")],
  ],
  [
    "a thought, then another",
    [event("thinking", { summary: "A." }), event("thinking", { summary: "B." })],
    [thinks("A."), thinks("\n\nB.")],
  ],
  ["a thought that the provider keeps to itself", [event("thinking", { opaque: "…" })], []],
  [
    "a retry",
    [
      event("text_delta", { text: "On" }),
      event("retry", { attempt: 1, delay_ms: 2, reason: "429" }),
      event("text", { text: "One." }),
    ],
    [says("On"), thinks("The model call failed, and is made again: 429"), says("\n\nOne.")],
  ],
  [
    "a call",
    [
      event("tool_start", call),
      event("tool_end", { ...call, result: '{"exit_code":1,"stdout":"a\\n","stderr":"b"}', is_error: false }),
    ],
    [begins(), ends("completed", shown("a\n\nb\n[exit code 1]"))],
  ],
  [
    "a call that prints",
    [
      event("tool_start", call),
      event("tool_output", { call_id: "c1", text: "a" }),
      event("tool_output", { call_id: "c1", text: "b" }),
    ],
    [
      begins(),
      { sessionUpdate: "tool_call_update", toolCallId: `${run}:c1`, content: shown("a") },
      { sessionUpdate: "tool_call_update", toolCallId: `${run}:c1`, content: shown("ab") },
    ],
  ],
  [
    "a call whose begin wasn't told",
    [event("tool_end", { ...call, result: "x" })],
    [begins(), ends("completed", shown("x"))],
  ],
  [
    "a call whose run ends before it",
    [event("tool_start", call), event("error", { error: "stopped" })],
    [begins(), ends("failed")],
  ],
  [
    "a call whose attempt is lost",
    [event("tool_start", call), event("start", { attempt: 2 })],
    [begins(), ends("failed")],
  ],
  [
    "a search of the provider",
    [event("web_search", { queries: ["peas"], sources: [{ url: "https://a.example", title: "A" }] })],
    [
      {
        sessionUpdate: "tool_call",
        toolCallId: `${run}:search-1`,
        title: "web_search peas",
        name: "web_search",
        kind: "fetch",
        rawInput: { query: "peas" },
        locations: [],
        status: "completed",
        content: [{ type: "content", content: { type: "resource_link", uri: "https://a.example", name: "A" } }],
      },
    ],
  ],
  ["an event of another's", [event("agent_updated", { agent: "x" }), event("info", { message: "y" })], []],
])("%s is told", (_, events, updates) => {
  expect(updatesOf(events, false)).toEqual(updates);
});

test("a prompt is told when it is replayed, with links to its files", () => {
  const id = "a".repeat(64);
  const parts = [{ type: "file", id, name: "plan.png", mime: "image/png", size: 3 }];
  expect(updatesOf([event("request", { prompt: "Look", parts })], true)).toEqual([
    asked("Look"),
    {
      sessionUpdate: "user_message_chunk",
      content: {
        type: "resource_link",
        uri: `file:///journal/attachments/aa/${id}`,
        name: "plan.png",
        mimeType: "image/png",
        size: 3,
      },
    },
  ]);
});

test("of the turn of a long-lived agent its calls and thoughts are told, not what it writes to nobody, nor its calls of reply", () => {
  const reply = { tool: "reply", args: { text: "Hi" }, call_id: "r" };
  const events = [
    event("request", { prompt: "[channel: cli | id: main]\nHello" }),
    event("thinking", { summary: "A." }),
    event("text", { text: "To nobody." }),
    event("tool_start", call),
    event("tool_end", { ...call, result: "x" }),
    event("tool_start", reply),
    event("tool_end", { ...reply, result: "{}" }),
    event("finish", { result: "To nobody." }),
  ];
  expect(updatesOf(events, true, true)).toEqual([thinks("A."), begins(), ends("completed", shown("x"))]);
});

test("places are in the folder where the run works, or in its worktree", () => {
  const read = { tool: "read", args: { path: "a.md", from: 7 }, call_id: "c1" };
  const placeOf = (fields: object) =>
    updatesOf([event("start", fields), event("tool_start", read)], false).map((update) =>
      update.sessionUpdate === "tool_call" ? update.locations : null,
    );
  expect(placeOf({ folder: "/garden" })).toEqual([[{ path: "/garden/a.md", line: 7 }]]);
  expect(placeOf({ folder: "/garden", worktree: run })).toEqual([
    [{ path: `/journal/worktrees/${run}/files/a.md`, line: 7 }],
  ]);
  expect(placeOf({})).toEqual([[]]);
});
