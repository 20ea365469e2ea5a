import { expect, test } from "vitest";
import { CallsUnderWay } from "../../../mcp-tools/tool/calls-under-way.ts";

const nobodyLeft = new AbortController().signal;

test("a call is cancelled by the client that made it, and by no other", () => {
  const calls = new CallsUnderWay();
  using call = calls.begin("a", 1, nobodyLeft);
  calls.cancel("b", 1);
  calls.cancel("a", "1");
  calls.cancel("a", 2);
  expect(call.signal.aborted).toBe(false);
  calls.cancel("a", 1);
  expect(call.signal.aborted).toBe(true);
});

test("a call ends when whoever waits for it has gone", () => {
  const gone = new AbortController();
  using call = new CallsUnderWay().begin("a", 1, gone.signal);
  gone.abort();
  expect(call.signal.aborted).toBe(true);
});

test("the later of two calls with one id is meant, also when the earlier has ended", () => {
  const calls = new CallsUnderWay();
  const first = calls.begin("a", 1, nobodyLeft);
  using second = calls.begin("a", 1, nobodyLeft);
  first[Symbol.dispose]();
  calls.cancel("a", 1);
  expect([first.signal.aborted, second.signal.aborted]).toEqual([false, true]);
});
