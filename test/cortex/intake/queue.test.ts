import { expect, test } from "vitest";
import { RequestQueue } from "../../../cortex/intake/queue.ts";

const waiting = (streamSeq: number, priority?: number) => ({
  agentId: `a${streamSeq}`,
  streamSeq,
  request: {
    prompt: "x",
    ...(priority === undefined ? {} : { priority }),
  },
});
const drain = (queue: RequestQueue) => {
  const order: number[] = [];
  for (let next = queue.takeRequest(); next; next = queue.takeRequest()) order.push(next.streamSeq);
  return order;
};

test("a lower priority goes first, then who came first; 50 unless it says otherwise", () => {
  const queue = new RequestQueue();
  for (const [seq, priority] of [
    [1, 60],
    [2, undefined],
    [3, 50],
    [4, 10],
    [5, -1],
    [6, 60],
  ] as const)
    queue.add(waiting(seq, priority));
  expect(queue.all().map(({ streamSeq }) => streamSeq)).toEqual([5, 4, 2, 3, 1, 6]);
  expect(drain(queue)).toEqual([5, 4, 2, 3, 1, 6]);
});

test("the request that came first goes first, even when it is added later", () => {
  const queue = new RequestQueue();
  for (const seq of [5, 3, 4, 1, 2]) queue.add(waiting(seq));
  expect(drain(queue)).toEqual([1, 2, 3, 4, 5]);
});

test("an id waits once, and can be taken from the middle", () => {
  const queue = new RequestQueue();
  for (const seq of [1, 2, 3, 2]) queue.add(waiting(seq));
  expect(queue.size).toBe(3);
  expect(queue.takeRequest("a2")).toMatchObject({ agentId: "a2" });
  expect(queue.takeRequest("a2")).toBe(undefined);
  expect([queue.has("a2"), queue.has("a3"), queue.size]).toEqual([false, true, 2]);
  expect(drain(queue)).toEqual([1, 3]);
  expect(queue.takeRequest()).toBe(undefined);
});
