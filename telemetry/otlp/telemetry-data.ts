/** Spans and points of metrics, before they are written by OTLP. */
import type { HistogramName, SumName } from "../conventions/names.ts";
import type { SpanPlace } from "../conventions/trace-ids.ts";

/** A whole number is an integer there; one that need not be whole says so, so that its type never changes. */
export type AttributeValue = string | number | boolean | string[] | { double: number };
export type Attributes = Record<string, AttributeValue>;

export type SpanLink = SpanPlace & { attributes: Attributes };

export type Span = SpanPlace & {
  parentSpanId?: string;
  name: string;
  kind: "internal" | "client";
  /** In ms since 1970. */
  start: number;
  end: number;
  attributes: Attributes;
  links: SpanLink[];
  /** That it failed; with the text, where that may be told. */
  failure?: { message?: string };
};

/** A number that a metric takes up. */
export type Measure = { metric: HistogramName | SumName; value: number; attributes: Attributes };

/** A series of a metric with its totals. */
export type HistogramPoint = {
  metric: HistogramName;
  attributes: Attributes;
  count: number;
  sum: number;
  /** One more than the metric has bounds. */
  buckets: number[];
};
export type SumPoint = { metric: SumName; attributes: Attributes; sum: number };
