/** Calls of coding agents as they tell of them, each in its own way, and our events. */
import type { ToolCallUpdate } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { ToolCalls } from "../../../backends/acp/tool-calls.ts";
import type { EventBody } from "../../../protocol/runs/event.ts";

/** `asks`: the agent asks whether it may. */
type Said = ({ is: "call" | "update" } & ToolCallUpdate) | ({ is: "asks" } & ToolCallUpdate) | { is: "turn ends" };

async function eventsOf(said: readonly Said[]): Promise<Partial<EventBody>[]> {
  const events: EventBody[] = [];
  const calls = new ToolCalls({ now: () => 1000 }, async (event) => void events.push(event));
  for (const one of said)
    if (one.is === "turn ends") await calls.endAll();
    else if (one.is === "asks") await calls.asked(one);
    else await calls.take({ title: "", ...one }, one.is === "call");
  return events;
}

const toolCallId = "call-1";
const args = { command: "ls" };
const text = (words: string) => ({ type: "content" as const, content: { type: "text" as const, text: words } });
const start = (tool: string, more: object = args) => ({ event: "tool_start", tool, args: more, call_id: toolCallId });
const end = (tool: string, result: string, more: object = {}) => ({
  ...start(tool),
  event: "tool_end",
  result,
  is_error: false,
  duration_ms: 0,
  ...more,
});

const rows: [what: string, said: Said[], events: object[]][] = [
  [
    "announced without its arguments, then with them",
    [
      { is: "call", toolCallId, title: "Terminal", name: "Bash", kind: "execute", status: "pending", rawInput: {} },
      { is: "update", toolCallId, title: "ls", rawInput: args },
      { is: "update", toolCallId, status: "completed", content: [text("a.txt")] },
    ],
    [start("Bash"), end("Bash", "a.txt")],
  ],
  [
    "known by its question alone",
    [
      { is: "asks", toolCallId, title: "ls", kind: "execute" },
      { is: "update", toolCallId, status: "failed" },
    ],
    [start("bash", { title: "ls" }), end("bash", "", { args: { title: "ls" }, is_error: true })],
  ],
  [
    "known by its result alone",
    [
      {
        is: "update",
        toolCallId,
        title: "ls",
        kind: "execute",
        status: "completed",
        rawInput: args,
        rawOutput: "a.txt",
      },
    ],
    [start("bash"), end("bash", "a.txt")],
  ],
  [
    "whose terminal prints beside it",
    [
      { is: "call", toolCallId, title: "ls", kind: "execute", status: "in_progress", rawInput: args },
      { is: "update", toolCallId, _meta: { terminal_output_delta: { data: "a" } } },
      { is: "update", toolCallId, status: "completed", _meta: { terminal_output_delta: { data: ".txt" } } },
    ],
    [start("bash"), end("bash", "a.txt")],
  ],
  [
    "whose end is told twice, the second time with other arguments",
    [
      { is: "call", toolCallId, title: "ls", kind: "execute", status: "in_progress", rawInput: args },
      { is: "update", toolCallId, status: "completed", rawInput: { diff: "…" }, content: [text("a.txt")] },
      { is: "update", toolCallId, status: "completed", content: [text("b.txt")] },
    ],
    [start("bash"), end("bash", "a.txt")],
  ],
  [
    "that never ends",
    [
      { is: "call", toolCallId, title: "ls", kind: "execute", status: "in_progress", rawInput: args },
      { is: "turn ends" },
    ],
    [start("bash"), end("bash", "", { is_error: true })],
  ],
  ["that never begins", [{ is: "call", toolCallId, title: "ls", status: "pending" }, { is: "turn ends" }], []],
  [
    "of a tool of a server, which its input names",
    [
      {
        is: "call",
        toolCallId,
        title: "x",
        kind: "execute",
        status: "in_progress",
        rawInput: { server: "cortex", tool: "notify" },
      },
    ],
    [start("notify", { server: "cortex", tool: "notify" })],
  ],
];

test.each(rows)("a call %s", async (_, said, events) => {
  expect(await eventsOf(said)).toEqual(events);
});
