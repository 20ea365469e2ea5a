import { describe, expect, test } from "vitest";
import { histograms } from "../../../telemetry/conventions/names.ts";
import { KeptTotals, Totals } from "../../../telemetry/metrics/totals.ts";

const fresh = () => new Totals({ since: 1000, series: [] });

describe("a value falls into the bucket whose upper bound it doesn't exceed", () => {
  test.each([
    [0, 0],
    [1, 0],
    [2, 1],
    [4, 1],
    [67108864, 13],
    [67108865, 14],
  ])("%i into bucket %i", (value, bucket) => {
    const totals = fresh();
    totals.add({ metric: "tokens", value, attributes: {} });
    const { buckets = [] } = totals.points.histogramPoints[0] ?? {};
    expect(buckets.flatMap((count, index) => (count > 0 ? [index] : []))).toEqual([bucket]);
    expect(buckets).toHaveLength(histograms.tokens.bounds.length + 1);
  });
});

test("values of the same attributes add up, in any order of these", () => {
  const totals = fresh();
  totals.add({ metric: "costUsd", value: 1, attributes: { a: "1", b: "2" } });
  totals.add({ metric: "costUsd", value: 2, attributes: { b: "2", a: "1" } });
  totals.add({ metric: "costUsd", value: 4, attributes: { a: "1" } });
  expect(totals.points.sumPoints.map(({ sum }) => sum)).toEqual([3, 4]);
});

test("totals that were kept and read again go on", () => {
  const totals = fresh();
  totals.add({ metric: "callSeconds", value: 0.5, attributes: { a: "1" } });
  const again = new Totals(KeptTotals.parse(JSON.parse(JSON.stringify(totals.kept))));
  again.add({ metric: "callSeconds", value: 1.5, attributes: { a: "1" } });
  expect(again.since).toBe(1000);
  expect(again.points.histogramPoints).toMatchObject([{ count: 2, sum: 2 }]);
});

test("more series than a metric may have are counted together, and nothing is lost", () => {
  const totals = fresh();
  for (let tool = 0; tool < 1500; tool++)
    totals.add({ metric: "toolSeconds", value: 1, attributes: { "gen_ai.tool.name": `tool-${tool}` } });
  const points = totals.points.histogramPoints;
  expect(points).toHaveLength(1001);
  expect(points.at(-1)).toMatchObject({ attributes: { "otel.metric.overflow": true }, count: 500 });
  expect(points.reduce((sum, { count }) => sum + count, 0)).toBe(1500);
});

test("a number that is none counts nothing", () => {
  const totals = fresh();
  for (const value of [Number.NaN, -1, Number.POSITIVE_INFINITY])
    totals.add({ metric: "costUsd", value, attributes: {} });
  expect(totals.isEmpty).toBe(true);
});
