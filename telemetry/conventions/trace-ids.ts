/**
 * The ids of traces and spans, made from the run's and of what happened in it: the same events give the same ids, whoever reads
 * them when, and a link needs to know no more of the other run than its id.
 */
import { hash } from "node:crypto";

/** The place of a span: hex digits, as OTLP's JSON has them. */
export type SpanPlace = { traceId: string; spanId: string };

/** @param instance sets the runs of one journal apart from those of another */
export const traceIdOf = (instance: string, agentId: string): string => digits(32, "trace", instance, agentId);

/** @param what names the span within its run; the run's own: `run` */
export const spanIdOf = (instance: string, agentId: string, what: string): string =>
  digits(16, "span", instance, agentId, what);

/** The span of a run itself. */
export const runPlace = (instance: string, agentId: string): SpanPlace => ({
  traceId: traceIdOf(instance, agentId),
  spanId: spanIdOf(instance, agentId, "run"),
});

const digits = (count: number, ...parts: string[]) => hash("sha256", JSON.stringify(parts), "hex").slice(0, count);
