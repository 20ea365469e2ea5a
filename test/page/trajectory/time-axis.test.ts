import { expect, test } from "vitest";
import { axisOf, runningEnd, zoomTo } from "../../../page/trajectory/time-axis.ts";

const texts = (to: number, from = 0) => axisOf({ from, to }).labels.map(({ text }) => text);

test("five minutes have a label each half minute", () => {
  const axis = axisOf({ from: 0, to: 300_000 });
  expect(axis.stepMs).toBe(30_000);
  expect(axis.labels).toHaveLength(11);
  expect(axis.labels[5]).toEqual({ at: 0.5, text: "2:30" });
});

test.each([300, 4000, 9000, 61_000, 290_000, 3_600_000, 40 * 3_600_000])(
  "%d ms have at most 13 labels and at least 4",
  (ms) => {
    expect(texts(ms).length).toBeLessThanOrEqual(13);
    expect(texts(ms).length).toBeGreaterThanOrEqual(4);
  },
);

test("a short run is told in parts of a second", () => {
  expect(texts(1000)).toEqual([
    "0.0 s",
    "0.1 s",
    "0.2 s",
    "0.3 s",
    "0.4 s",
    "0.5 s",
    "0.6 s",
    "0.7 s",
    "0.8 s",
    "0.9 s",
    "1.0 s",
  ]);
});

test("labels of a part stand at whole steps", () => {
  expect(texts(180_000, 148_000).slice(0, 2)).toEqual(["2:30", "2:35"]);
  expect(axisOf({ from: 100_500, to: 110_500 }).labels[0]).toEqual({ at: 0.05, text: "1:41" });
});

test("the axis of a run at work doubles, and is never full", () => {
  expect([0, 14_000, 15_000, 40_000, 200_000].map(runningEnd)).toEqual([15_000, 15_000, 30_000, 60_000, 240_000]);
});

test("a part that somebody draws out is in order and inside; a click is no part", () => {
  const whole = { from: 0, to: 10_000 };
  expect(zoomTo(whole, 4000, 2000)).toEqual({ from: 2000, to: 4000 });
  expect(zoomTo(whole, -50, 99_000)).toEqual(whole);
  expect(zoomTo(whole, 3000, 3005)).toEqual(whole);
});
