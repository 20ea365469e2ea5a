import { expect, test as plainTest, vi } from "vitest";
import { type Limit, RunClocks } from "../../../cortex/limits/clocks.ts";

/** The timers are a test's own: it waits for nothing, so nobody else of this process runs while they are faked. */
const test = (name: string, body: () => void) =>
  plainTest(name, () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    try {
      body();
    } finally {
      vi.useRealTimers();
    }
  });

const clocksOf = (wallMs: number, idleMs: number) => {
  const limits: Limit[] = [];
  return { limits, clocks: new RunClocks(wallMs, idleMs, (limit) => limits.push(limit)) };
};

test("silence is measured from the latest event", () => {
  const { limits, clocks } = clocksOf(60_000, 1000);
  for (let word = 0; word < 5; word++) {
    vi.advanceTimersByTime(900);
    clocks.heard();
  }
  expect(limits).toEqual([]);
  vi.advanceTimersByTime(1001);
  expect(limits).toEqual(["idle"]);
  expect(vi.getTimerCount()).toBe(0);
});

test("no word stops the wall clock", () => {
  const { limits, clocks } = clocksOf(2000, 1000);
  for (let word = 0; word < 4; word++) {
    vi.advanceTimersByTime(501);
    clocks.heard();
  }
  expect(limits).toEqual(["timeout"]);
});

test("a clock set to years neither fires at once nor switches the other off", () => {
  const years = clocksOf(1e15, 1e15);
  vi.advanceTimersByTime(2 ** 31);
  expect(years.limits).toEqual([]);
  years.clocks[Symbol.dispose]();
  const idle = clocksOf(1e15, 1000);
  vi.advanceTimersByTime(1001);
  expect(idle.limits).toEqual(["idle"]);
});

test("a wall clock that has run out fires at once", () => {
  expect(clocksOf(-5, 1000).limits).toEqual(["timeout"]);
});

test("disposed, it is silent and leaves no timer", () => {
  const { limits, clocks } = clocksOf(100, 100);
  clocks[Symbol.dispose]();
  vi.advanceTimersByTime(1000);
  expect([limits, vi.getTimerCount()]).toEqual([[], 0]);
});

test("the wall clock may be set to end earlier, and the silence is measured on", () => {
  const { limits, clocks } = clocksOf(60_000, 5000);
  vi.advanceTimersByTime(3000);
  clocks.setWall(1000);
  vi.advanceTimersByTime(1001);
  expect(limits).toEqual(["timeout"]);
  const other = clocksOf(60_000, 5000);
  vi.advanceTimersByTime(3000);
  other.clocks.setWall(30_000);
  vi.advanceTimersByTime(2001);
  expect(other.limits).toEqual(["idle"]);
  expect(vi.getTimerCount()).toBe(0);
});
