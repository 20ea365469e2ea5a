import { expect, test } from "vitest";
import { stamp } from "../../cortex/stamp.ts";

const id = "1736380800000";
const now = 1736380860000;

test("an event gets its run, its line and its time; what it says of the first two never counts", () => {
  const event = stamp({ event: "text", text: "x", agent_id: "1700000000000", seq: 99 }, id, 7, now);
  expect(event).toEqual({ event: "text", ts: now, agent_id: id, seq: 7, text: "x" });
  expect(Object.keys(event)).toEqual(["event", "ts", "agent_id", "seq", "text"]);
});

test.each([Number(id), now, now + 59_000, Number(id) - 59_000])("ts %i lies within the run, and is kept", (ts) =>
  expect(stamp({ event: "text", ts }, id, 1, now).ts).toBe(ts),
);

test.each([now + 61_000, Number(id) - 61_000, 0, -1, 1.5, Number.NaN, String(now), null, undefined, {}])(
  "ts %s is replaced by the time at which it was read",
  (ts) => expect(stamp({ event: "text", ts }, id, 1, now).ts).toBe(now),
);
