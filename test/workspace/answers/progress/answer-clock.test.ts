import { expect, test } from "vitest";
import type { AgentEvent } from "../../../../protocol/runs/event.ts";
import { AnswerClock } from "../../../../workspace/answers/progress/answer-clock.ts";

const event = (name: string, ts: number, fields = {}): AgentEvent =>
  ({ event: name, ts, agent_id: "1", seq: 1, ...fields }) as AgentEvent;

function clockOf(...events: AgentEvent[]): AnswerClock {
  const clock = new AnswerClock(1000);
  for (const one of events) clock.apply(one);
  return clock;
}

test("the clock of an answer runs from its run's start on, not from its request", () => {
  const clock = clockOf(event("request", 0));
  expect(clock.isOver(5000)).toBe(false);
  clock.apply(event("start", 5000));
  expect([clock.usedMs(5400), clock.isOver(5999), clock.isOver(6000)]).toEqual([400, false, true]);
});

test("an attempt of a lost run doesn't begin the clock anew", () => {
  expect(clockOf(event("start", 0), event("start", 900, { attempt: 2 })).isOver(1000)).toBe(true);
});

test("a rate limit's wait isn't counted, another retry's is", () => {
  const limited = clockOf(event("start", 0), event("retry", 400, { delay_ms: 3000, status: 429 }));
  expect([limited.waitsUntil(1000), limited.waitsUntil(3400)]).toEqual([3400, null]);
  expect([limited.usedMs(2000), limited.usedMs(3400), limited.isOver(4000)]).toEqual([400, 400, true]);
  expect(clockOf(event("start", 0), event("retry", 400, { delay_ms: 3000, status: 503 })).isOver(1000)).toBe(true);
});

test("the clock stands still while a person is waited for, also for two questions", () => {
  const clock = clockOf(
    event("start", 0),
    event("permission", 300, { id: "a" }),
    event("clocks_stopped", 400, { id: "b" }),
  );
  clock.apply(event("permission_decided", 9000, { id: "a" }));
  expect(clock.usedMs(9500)).toBe(300);
  clock.apply(event("clocks_resumed", 10_000, { id: "b" }));
  expect([clock.usedMs(10_200), clock.isOver(10_700)]).toEqual([500, true]);
});

test("another run of the same answer goes on with what was used", () => {
  const clock = clockOf(event("start", 0));
  clock.pause(600);
  expect(clock.usedMs(5000)).toBe(600);
  clock.apply(event("start", 9000));
  expect(clock.isOver(9400)).toBe(true);
});
