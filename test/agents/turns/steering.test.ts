import { expect, test } from "vitest";
import { Steering } from "../../../agents/turns/steering.ts";
import type { EventBody } from "../../../protocol/runs/event.ts";
import { textField } from "../../../protocol/runs/text-field.ts";

const start = { event: "start" };
const input = (id: string) => ({ event: "input", id });
const usage = (inputs?: number) => ({ event: "usage", ...(inputs !== undefined && { inputs }) });
const taken = (id: string) => ({ event: "input_taken", id });
const text = { event: "text", text: "…" };
const finish = { event: "finish", result: "…" };

const cases: [what: string, events: EventBody[], heard: string[]][] = [
  ["nothing was said", [start, usage(), finish], []],
  ["said before the first call", [start, input("a"), usage(1), finish], ["a"]],
  ["said before the run began", [input("a"), start, usage(1), finish], ["a"]],
  ["said during a call, heard by the next", [start, input("a"), usage(), text, usage(1), finish], ["a"]],
  ["written down before the last call's usage was read, and too late for it", [start, input("a"), usage(), finish], []],
  ["too late for the last call", [start, usage(), input("a"), finish], []],
  ["the first was heard, the second came too late", [start, input("a"), usage(1), input("b"), finish], ["a"]],
  ["several at once", [start, input("a"), input("b"), usage(2), input("c"), usage(3), finish], ["a", "b", "c"]],
  ["stopped before the next call", [start, usage(), input("a"), text, { event: "error" }], []],
  ["told at the end", [start, input("a"), usage(), { ...finish, inputs: 1 }], ["a"]],
  ["a later attempt hears what the former did", [start, text, input("a"), start, usage(), finish], ["a"]],
  ["also of one that had said nothing", [start, input("a"), start, usage(), finish], ["a"]],
  [
    "a later attempt hears what the former did that said no more than a piece",
    [start, { ...text, partial: true }, input("a"), start, usage(), finish],
    ["a"],
  ],
  [
    "also of one whose pieces were void",
    [start, { ...text, partial: true }, input("a"), { event: "retry" }, start, usage(), finish],
    ["a"],
  ],
  ["said to be taken, by their ids", [start, input("a"), input("b"), taken("b"), usage(), finish], ["b"]],
  ["by id and by number, each once", [start, input("a"), taken("a"), usage(1), text, finish], ["a"]],
  ["of the attempt before, by its id", [start, text, input("a"), start, taken("a"), usage(), finish], ["a"]],
  ["not what nobody has said", [start, taken("a"), usage(), finish], []],
  ["each once", [start, input("a"), usage(1), text, start, input("b"), usage(1), finish], ["a", "b"]],
];

test.each(cases)("%s", (_, events, heard) => {
  const steering = new Steering();
  for (const [at, event] of events.entries())
    steering.applyEvent({ ts: 0, agent_id: "1", seq: at + 1, ...event }, textField(event, "id"));
  expect(steering.delivered).toEqual(heard);
});
