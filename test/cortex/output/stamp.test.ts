import { expect, test } from "vitest";
import { stamp } from "../../../cortex/output/stamp.ts";
import { parseEventLine } from "../../../journal/chain/event-line.ts";

const id = "1736380800000";
const now = 1736380860000;

test("an event gets its run, its line and its time; what it says of the first two never counts", () => {
  const event = stamp({ event: "text", text: "x", agent_id: "1700000000000", seq: 99 }, id, 7, now);
  expect(event).toEqual({ event: "text", ts: now, agent_id: id, seq: 7, text: "x" });
  expect(Object.keys(event)).toEqual(["event", "ts", "agent_id", "seq", "text"]);
});

test("an event is chained to the line before, whatever it says itself; the first line and what stands in no file stay as they came", () => {
  const event = stamp({ event: "text", prev: "mine", text: "x" }, id, 7, now, "hash");
  expect(JSON.stringify(event)).toBe(
    `{"event":"text","ts":${now},"agent_id":"${id}","seq":7,"prev":"hash","text":"x"}`,
  );
  expect(stamp({ event: "request", prev: "mine" }, id, 1, now)).toMatchObject({ prev: "mine" });
});

test("an event read from a line and written again is the same, byte for byte, whatever its keys are", () => {
  const body = JSON.parse('{"1":1,"event":"text","prev":{},"__proto__":{"a":1},"z":-0,"text":"\\ud800\u2028"}');
  const line = JSON.stringify(stamp(body, id, 2, now, "hash"));
  expect(JSON.stringify(parseEventLine(line))).toBe(line);
});

test.each([Number(id), now, now + 59_000, Number(id) - 59_000])("ts %i lies within the run, and is kept", (ts) =>
  expect(stamp({ event: "text", ts }, id, 1, now).ts).toBe(ts),
);

test.each([now, now - 5000, undefined])("no event is earlier than the one before it, whatever its ts says: %s", (ts) =>
  expect(stamp({ event: "text", ts }, id, 2, now, null, now + 30_000).ts).toBe(now + 30_000),
);

test.each([now + 61_000, Number(id) - 61_000, 0, -1, 1.5, Number.NaN, String(now), null, undefined, {}])(
  "ts %s is replaced by the time at which it was read",
  (ts) => expect(stamp({ event: "text", ts }, id, 1, now).ts).toBe(now),
);
