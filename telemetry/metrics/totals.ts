/**
 * The totals of the metrics, since they began to be counted. They are told as totals ("cumulative") and not as what came since the
 * last time: a body that is sent once more after a kill, because its answer was lost, then says the same once more and counts
 * nothing twice.
 */
import { z } from "zod";
import { histograms, overflowAttribute, sums } from "../conventions/names.ts";
import type { Attributes, HistogramPoint, Measure, SumPoint } from "../otlp/telemetry-data.ts";

/** Series of a metric beyond these are counted together: tools and models may have any names. */
const maxSeries = 1000;

const amount = z.number().nonnegative();
const Series = z.object({
  metric: z.enum([...Object.keys(histograms), ...Object.keys(sums)] as [string, ...string[]]),
  attributes: z.record(z.string(), z.union([z.string(), z.boolean()])),
  count: amount,
  sum: amount,
  buckets: z.array(amount),
});
type Series = z.infer<typeof Series>;

/** As they are kept. */
export const KeptTotals = z.object({ since: z.number(), series: z.array(Series) });
export type KeptTotals = z.infer<typeof KeptTotals>;

export class Totals {
  readonly #since: number;
  readonly #series: Map<string, Series>;

  constructor({ since, series }: KeptTotals) {
    this.#since = since;
    this.#series = new Map(series.map((one) => [keyOf(one.metric, one.attributes), one]));
  }

  get kept(): KeptTotals {
    return { since: this.#since, series: [...this.#series.values()] };
  }

  get isEmpty(): boolean {
    return this.#series.size === 0;
  }

  /** When they began, in ms. */
  get since(): number {
    return this.#since;
  }

  add({ metric, value, attributes }: Measure): void {
    if (!Number.isFinite(value) || value < 0) return;
    const series = this.#seriesOf(metric, attributes);
    series.count++;
    series.sum += value;
    if (!isHistogram(metric)) return;
    const at = histograms[metric].bounds.findIndex((bound) => value <= bound);
    const bucket = at < 0 ? series.buckets.length - 1 : at;
    series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1;
  }

  get points(): { histogramPoints: HistogramPoint[]; sumPoints: SumPoint[] } {
    const histogramPoints: HistogramPoint[] = [];
    const sumPoints: SumPoint[] = [];
    for (const { metric, ...series } of this.#series.values()) {
      if (isHistogram(metric)) histogramPoints.push({ ...series, metric });
      else sumPoints.push({ metric: metric as SumPoint["metric"], attributes: series.attributes, sum: series.sum });
    }
    return { histogramPoints, sumPoints };
  }

  #seriesOf(metric: Measure["metric"], attributes: Attributes): Series {
    const own = this.#series.get(keyOf(metric, attributes));
    if (own) return own;
    const isFull = [...this.#series.values()].filter((one) => one.metric === metric).length >= maxSeries;
    const told = isFull ? { [overflowAttribute]: true } : (attributes as Series["attributes"]);
    const key = keyOf(metric, told);
    const series = this.#series.get(key) ?? {
      metric,
      attributes: told,
      count: 0,
      sum: 0,
      buckets: isHistogram(metric) ? Array.from({ length: histograms[metric].bounds.length + 1 }, () => 0) : [],
    };
    this.#series.set(key, series);
    return series;
  }
}

const keyOf = (metric: string, attributes: Attributes) =>
  JSON.stringify([metric, Object.entries(attributes).toSorted(([one], [other]) => (one < other ? -1 : 1))]);

const isHistogram = (metric: string): metric is HistogramPoint["metric"] => Object.hasOwn(histograms, metric);
