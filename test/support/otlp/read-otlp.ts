/** Spans and points of metrics as a receiver reads them from bodies that have passed the official schema. */

type Value = {
  stringValue?: string;
  intValue?: string;
  doubleValue?: number;
  boolValue?: boolean;
  arrayValue?: { values: Value[] };
};
type Pair = { key: string; value: Value };
type Resource = { attributes: Pair[] };
type WireLink = { traceId: string; spanId: string; attributes: Pair[] };
type WireSpan = Omit<ReadSpan, "attributes" | "links"> & { attributes: Pair[]; links?: WireLink[] };
type WirePoint = {
  attributes: Pair[];
  startTimeUnixNano: string;
  timeUnixNano: string;
  count?: string;
  sum?: number;
  bucketCounts?: string[];
  explicitBounds?: number[];
  asDouble?: number;
};
type WireMetric = {
  name: string;
  unit: string;
  histogram?: { dataPoints: WirePoint[] };
  sum?: { dataPoints: WirePoint[] };
};

export type Read = string | number | boolean | Read[] | undefined;

export type ReadSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Record<string, Read>;
  links: { traceId: string; spanId: string; attributes: Record<string, Read> }[];
  status?: { code: number; message?: string };
};

export type ReadPoint = {
  metric: string;
  attributes: Record<string, Read>;
  count: number;
  sum: number;
  time: string;
  since: string;
};

export function spansIn(body: unknown): ReadSpan[] {
  const { resourceSpans } = body as { resourceSpans: { scopeSpans: { spans: WireSpan[] }[] }[] };
  return resourceSpans
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
    .map(({ attributes, links = [], ...span }) => ({
      ...span,
      attributes: read(attributes),
      links: links.map((link) => ({ ...link, attributes: read(link.attributes) })),
    }));
}

export function pointsIn(body: unknown): ReadPoint[] {
  const { resourceMetrics } = body as { resourceMetrics: { scopeMetrics: { metrics: WireMetric[] }[] }[] };
  const metrics = resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
  return metrics.flatMap(({ name, histogram, sum }) =>
    (histogram ?? sum ?? { dataPoints: [] }).dataPoints.map((point) => ({
      metric: name,
      attributes: read(point.attributes),
      count: Number(point.count ?? 0),
      sum: point.sum ?? point.asDouble ?? 0,
      time: point.timeUnixNano,
      since: point.startTimeUnixNano,
    })),
  );
}

/** Attributes of the sender. */
export function resourceIn(body: unknown): Record<string, Read> {
  const { resourceSpans, resourceMetrics } = body as Record<string, { resource: Resource }[]>;
  return read((resourceSpans ?? resourceMetrics)?.[0]?.resource.attributes ?? []);
}

const read = (pairs: Pair[]): Record<string, Read> =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, readValue(value)]));

function readValue(value: Value): Read {
  if (value.arrayValue) return value.arrayValue.values.map(readValue);
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.stringValue ?? value.doubleValue ?? value.boolValue;
}
