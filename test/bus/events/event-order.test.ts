import { expect, test } from "vitest";
import { EventOrder, type HeardEvent } from "../../../bus/events/event-order.ts";

function heard(seq: number, epoch = 1, text = "x"): HeardEvent {
  const event = { event: "text", ts: 1, agent_id: "1736380800000", seq, text };
  return { event, line: JSON.stringify(event), epoch };
}

/** Takes what is handed out now. */
function taken(order: EventOrder): string[] {
  const lines: string[] = [];
  for (let found = order.takeNext(); found; found = order.takeNext()) lines.push(`${found.event.seq}/${found.epoch}`);
  return lines;
}

function orderOf(from: number, ...all: HeardEvent[]): EventOrder {
  const order = new EventOrder(from);
  for (const one of all) order.add(one);
  return order;
}

test("an event that comes late or twice is handed out once, in the order of the file", () => {
  const order = orderOf(1, heard(1), heard(3), heard(2), heard(3), heard(1));
  expect(taken(order)).toEqual(["1/1", "2/1", "3/1"]);
  order.add(heard(2));
  expect(taken(order)).toEqual([]);
  expect([order.next, order.size]).toEqual([4, 0]);
});

test("lines before the wanted one aren't handed out", () => {
  expect(taken(orderOf(3, heard(1), heard(2), heard(3), heard(4)))).toEqual(["3/1", "4/1"]);
});

test("an event of a worker that has lost the run is void, whenever it comes", () => {
  // It went on to 4 before the next one took over from 2; its terminal event comes afterwards.
  const order = orderOf(1, heard(1), heard(2), heard(3), heard(4), heard(3, 2), heard(5));
  expect(taken(order)).toEqual(["1/1", "2/1", "3/2"]);
  expect(order.gap()).toBe(null);
});

test("an event without an epoch always counts", () => {
  expect(taken(orderOf(1, heard(1, 2), heard(2, 0)))).toEqual(["1/2", "2/0"]);
});

test("a gap is what is missing before the first that is held back, until it is filled or given up", () => {
  const order = orderOf(1, heard(1), heard(7), heard(4));
  expect(taken(order)).toEqual(["1/1"]);
  expect(order.gap()).toEqual({ from: 2, to: 4 });
  order.skipTo(4);
  expect([taken(order), order.gap()]).toEqual([["4/1"], { from: 5, to: 7 }]);
  for (const seq of [6, 5]) order.add(heard(seq));
  expect([taken(order), order.gap(), order.size]).toEqual([["5/1", "6/1", "7/1"], null, 0]);
});
