/**
 * OTLP's JSON (opentelemetry-proto 1.x): ids are hex digits, enums are numbers, 64-bit integers are strings. Our own few lines and
 * not the SDK: its tracer makes spans of what happens now in its own process, and these are made of what is already over elsewhere.
 */
import { conventionsVersion, histograms, ownAttributes, resourceAttributes, sums } from "../conventions/names.ts";
import type { AttributeValue, Attributes, HistogramPoint, Span, SumPoint } from "./telemetry-data.ts";

/** The sender: which journal's, and of which version. */
export type Sender = { instance: string; version: string };

const kinds = { internal: 1, client: 3 } as const;
const statusError = 2;
const cumulative = 2;

/** The body of a request to `/v1/traces`. */
export function tracesBody(sender: Sender, spans: readonly Span[]): string {
  const scopeSpans = [{ scope: scopeOf(sender), spans: spans.map(encodedSpan) }];
  return JSON.stringify({ resourceSpans: [{ resource: resourceOf(sender), scopeSpans }] });
}

/**
 * The body of a request to `/v1/metrics`.
 * @param since when the totals began, in ms
 * @param now the time of the points, in ms
 */
export function metricsBody(
  sender: Sender,
  { histogramPoints, sumPoints }: { histogramPoints: HistogramPoint[]; sumPoints: SumPoint[] },
  since: number,
  now: number,
): string {
  const times = { startTimeUnixNano: nano(since), timeUnixNano: nano(Math.max(since, now)) };
  const ofHistograms = [...Map.groupBy(histogramPoints, ({ metric }) => metric)].map(([key, points]) => {
    const { bounds, ...named } = histograms[key];
    const dataPoints = points.map(({ attributes, count, sum, buckets }) => ({
      attributes: encodedAttributes(attributes),
      ...times,
      count: String(count),
      sum,
      bucketCounts: buckets.map(String),
      explicitBounds: bounds,
    }));
    return { ...named, histogram: { aggregationTemporality: cumulative, dataPoints } };
  });
  const ofSums = [...Map.groupBy(sumPoints, ({ metric }) => metric)].map(([key, points]) => {
    const dataPoints = points.map(({ attributes, sum }) => ({
      attributes: encodedAttributes(attributes),
      ...times,
      asDouble: sum,
    }));
    return { ...sums[key], sum: { aggregationTemporality: cumulative, isMonotonic: true, dataPoints } };
  });
  const scopeMetrics = [{ scope: scopeOf(sender), metrics: [...ofHistograms, ...ofSums] }];
  return JSON.stringify({ resourceMetrics: [{ resource: resourceOf(sender), scopeMetrics }] });
}

function encodedSpan({ traceId, spanId, parentSpanId, name, kind, start, end, attributes, links, failure }: Span) {
  return {
    traceId,
    spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    name,
    kind: kinds[kind],
    startTimeUnixNano: nano(start),
    endTimeUnixNano: nano(end),
    attributes: encodedAttributes(attributes),
    ...(links.length > 0 && {
      links: links.map((link) => ({ ...link, attributes: encodedAttributes(link.attributes) })),
    }),
    ...(failure && {
      status: { code: statusError, ...(failure.message !== undefined && { message: failure.message }) },
    }),
  };
}

const resourceOf = ({ instance, version }: Sender) => ({
  attributes: encodedAttributes({
    [resourceAttributes.service]: "cortex",
    [resourceAttributes.version]: version,
    [resourceAttributes.instance]: instance,
    [ownAttributes.conventions]: conventionsVersion,
  }),
});

const scopeOf = ({ version }: Sender) => ({ name: "cortex.telemetry", version });

const encodedAttributes = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: encodedValue(value) }));

function encodedValue(value: AttributeValue): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") return { intValue: String(Math.round(value)) };
  if (Array.isArray(value)) return { arrayValue: { values: value.map((text) => ({ stringValue: text })) } };
  return { doubleValue: value.double };
}

/** In ms: until the year 2286, within what a time has room for there. */
const latest = 9_999_999_999_999;

/** Milliseconds as nanoseconds: the number has no room for them, the text has. */
const nano = (ms: number) => String(BigInt(Math.round(Math.min(Math.max(ms, 0), latest))) * 1_000_000n);
