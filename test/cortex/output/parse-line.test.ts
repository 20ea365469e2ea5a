import { expect, test } from "vitest";
import { parseLine } from "../../../cortex/output/parse-line.ts";
import { cortexOwnEvents } from "../../../protocol/runs/event.ts";

const parse = (text: string) => parseLine({ text, end: text.length + 1 });
const event = (value: Record<string, unknown>) => parse(JSON.stringify(value));

test.each(["42", "[1]", "null", "true", '"text"', "hello", "{", "{}", '{"event":5}', '{"event":null}', '{"event":""}'])(
  "%s is an info with the line as it is",
  (line) => expect(parse(line)).toEqual({ kind: "event", event: { event: "info", message: line } }),
);

test.each(["Upper", "with.dot", "with space", "9start", "*", ">", "é", "x".repeat(65), "__proto__"])(
  "an event named %s is an info",
  (name) => expect(event({ event: name })).toMatchObject({ kind: "event", event: { event: "info" } }),
);

test("an event that only cortex may write becomes an info, and no other does", () => {
  for (const name of cortexOwnEvents) expect(event({ event: name })).toMatchObject({ event: { event: "info" } });
  for (const name of ["start", "text", "thinking", "tool_start", "usage", "retry", "agent_updated", "anything_else"])
    expect(event({ event: name, x: 1 })).toEqual({ kind: "event", event: { event: name, x: 1 } });
});

test("blank lines and pulses say nothing, a delta is passed on", () => {
  for (const line of ["", " ", "\t\r"]) expect(parse(line)).toEqual({ kind: "nothing" });
  expect(event({ event: "pulse" })).toEqual({ kind: "nothing" });
  expect(event({ event: "text_delta", text: "x" })).toEqual({
    kind: "delta",
    event: { event: "text_delta", text: "x" },
  });
});

test("a line that was cut is an info with its head, also when the head would be an event", () => {
  const line = { text: '{"event":"finish"}', end: 9_000_000, truncated: true as const };
  expect(parseLine(line)).toEqual({ kind: "event", event: { event: "info", message: line.text, truncated: true } });
});

test("results, messages and errors are texts in the end, and an error has a known reason", () => {
  expect(event({ event: "finish" })).toMatchObject({ event: { result: "" } });
  expect(event({ event: "finish", result: { a: 1 } })).toMatchObject({ event: { result: '{"a":1}' } });
  expect(event({ event: "info", message: 5 })).toMatchObject({ event: { message: "5" } });
  expect(event({ event: "error" })).toMatchObject({ event: { error: "unknown error", reason: "provider" } });
  expect(event({ event: "error", error: "x", reason: "budget" })).toMatchObject({ event: { reason: "budget" } });
});

test("a call's event doesn't have the content that a file was given with", () => {
  for (const name of ["tool_start", "tool_end"]) {
    const parsed = event({ event: name, tool: "reply", args: { attachments: [{ name: "a", data: "YWJj" }] } });
    expect(JSON.stringify(parsed)).not.toContain("YWJj");
    expect(parsed).toMatchObject({ event: { args: { attachments: [{ name: "a", data: "***" }] } } });
  }
});

test("a line that would be too long as an event is an info with its head", () => {
  const text = "\u0001".repeat(2_000_000);
  expect(parse(text)).toEqual({
    kind: "event",
    event: { event: "info", message: text.slice(0, 4096), truncated: true },
  });
  const numbers = JSON.stringify({ event: "text", text: "x", list: [] }).replace(
    "[]",
    `[${"1e20,".repeat(1_000_000)}1]`,
  );
  expect(parse(numbers)).toMatchObject({ event: { event: "info", truncated: true } });
  const plain = JSON.stringify({ event: "text", text: "x".repeat(2_000_000) });
  expect(parse(plain)).toMatchObject({ event: { event: "text" } });
});
