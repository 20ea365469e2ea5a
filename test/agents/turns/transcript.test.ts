import { expect, test } from "vitest";
import { transcriptOf } from "../../../agents/turns/transcript.ts";
import type { HistoryRecord } from "../../../protocol/agents/agent-files.ts";

const run = { ts: 1, run_id: "1736380800000" };
const records: HistoryRecord[] = [
  { type: "start", ts: 1, id: "s" },
  { type: "user", ts: 1, id: "u", text: "ask" },
  { type: "assistant", ...run, id: "a", text: "hm" },
  { type: "tool_call", ...run, id: "c1", call_id: "1", tool: "ls", args: {} },
  { type: "tool_call", ...run, id: "c2", call_id: "2", tool: "read", args: {} },
  { type: "tool_result", ...run, id: "r1", call_id: "1", result: "one" },
  { type: "tool_result", ...run, id: "r2", call_id: "2", result: "two" },
  { type: "assistant", ...run, id: "b", text: "done" },
];
const whole = transcriptOf(records, 10_000);

test("a history is told in its order", () => {
  expect(whole.trim().split("\n")).toEqual([
    "USER: ask",
    "ASSISTANT (thinking): hm",
    "CALL ls: {}",
    "CALL read: {}",
    "RESULT: one",
    "RESULT: two",
    "ASSISTANT (thinking): done",
  ]);
});

test("however little fits, it fits, and calls are never parted from their results", () => {
  const noted = "[what came before is left out here]";
  for (let most = "ASSISTANT (thinking): done".length; most < whole.length; most++) {
    const text = transcriptOf(records, most);
    expect(text.replace(`${noted}\n`, "").length).toBeLessThanOrEqual(most);
    expect(text).toContain("done");
    expect([most, text.includes("CALL ls"), text.includes("CALL read")]).toEqual([
      most,
      text.includes("RESULT: two"),
      text.includes("RESULT: two"),
    ]);
    if (text !== whole.trimStart() && text !== whole) expect(text.startsWith(noted)).toBe(true);
  }
});

test("a long text is given by its beginning and its end", () => {
  const text = transcriptOf([{ type: "user", ts: 1, id: "u", text: `first${"x".repeat(9000)}last` }], 100_000);
  expect(text).toMatch(/^USER: first/);
  expect(text).toMatch(/last$/);
  expect(text.length).toBeLessThan(4100);
});
