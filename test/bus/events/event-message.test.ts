import { expect, test } from "vitest";
import { eventMessage } from "../../../bus/events/event-message.ts";
import type { AgentEvent } from "../../../protocol/runs/event.ts";

const stamp = { event: "tool_end", ts: 1, agent_id: "1736380800000", seq: 3 };
const maxBytes = 10_000;

function message(fields: Record<string, unknown>): { bytes: number; event: AgentEvent } {
  const event: AgentEvent = { ...stamp, ...fields };
  const text = eventMessage(event, JSON.stringify(event), maxBytes);
  return { bytes: Buffer.byteLength(text), event: JSON.parse(text) as AgentEvent };
}

test("an event that fits goes as it stands in the file", () => {
  const line = '{"event":"text","ts":1,"agent_id":"1736380800000","seq":3,"text":"as  it is"}';
  expect(eventMessage(JSON.parse(line) as AgentEvent, line, maxBytes)).toBe(line);
});

test.each([
  ["one long string", { result: "x".repeat(50_000) }],
  ["strings of four bytes a character", { result: "😀".repeat(20_000) }],
  ["characters that JSON writes in six", { result: "\u0000".repeat(20_000) }],
  ["strings deep inside", { args: { list: [{ text: "y".repeat(50_000) }, { text: "z".repeat(50_000) }] } }],
])("an event that is too large has its strings cut: %s", (_, fields) => {
  const { bytes, event } = message({ ...fields, call_id: "call-1", is_error: false });
  expect(bytes).toBeLessThanOrEqual(maxBytes);
  expect(event).toMatchObject({ ...stamp, truncated: true, call_id: "call-1", is_error: false });
});

test("a cut string keeps its beginning", () => {
  const { event } = message({ result: "abc".repeat(20_000) });
  expect(String(event["result"])).toMatch(/^(abc)+a?b?…$/);
});

test("an event with too many fields keeps what identifies it", () => {
  const fields = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`field${index}`, index]));
  expect(message(fields).event).toEqual({ ...stamp, truncated: true });
});
