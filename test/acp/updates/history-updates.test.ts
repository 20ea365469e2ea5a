import { expect, test } from "vitest";
import { historyUpdates } from "../../../acp/updates/history-updates.ts";
import type { HistoryRecord } from "../../../protocol/agents/agent-files.ts";

const base = { ts: 0, id: "x", run_id: "1736380800000" };
const records: HistoryRecord[] = [
  { ...base, type: "user", text: "[channel: cli | id: main]\nHello\nthere" },
  { ...base, type: "system", text: "<system_message>…</system_message>" },
  { ...base, type: "assistant", text: "I shall greet." },
  { ...base, type: "tool_call", call_id: "c1", tool: "read", args: { path: "/a.md" } },
  { ...base, type: "tool_result", call_id: "c1", tool: "read", result: "Beans" },
  { ...base, type: "tool_call", call_id: "c2", tool: "mcp__cortex__reply", args: { text: "Hi." } },
  { ...base, type: "tool_result", call_id: "c2", tool: "reply", result: "{}" },
];
const kindsOf = (textIsReply: boolean) =>
  historyUpdates("/journal", records, textIsReply).map((update) =>
    "content" in update && !Array.isArray(update.content) && update.content?.type === "text"
      ? update.content.text
      : update.sessionUpdate,
  );

test("a user's words, what the agent has replied, and its calls are told", () => {
  expect(kindsOf(false)).toEqual(["Hello\nthere", "tool_call", "tool_call_update", "Hi."]);
});

test("of an agent whose text is its reply, its text is told as well", () => {
  expect(kindsOf(true)).toEqual(["Hello\nthere", "I shall greet.", "tool_call", "tool_call_update", "Hi."]);
});
