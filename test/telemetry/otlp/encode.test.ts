import { describe, expect, test } from "vitest";
import { Totals } from "../../../telemetry/metrics/totals.ts";
import { metricsBody, tracesBody } from "../../../telemetry/otlp/encode.ts";
import type { Span } from "../../../telemetry/otlp/telemetry-data.ts";
import { runPlace, spanIdOf } from "../../../telemetry/conventions/trace-ids.ts";
import { schemaProblems } from "../../support/otlp/official-schema.ts";
import { pointsIn, resourceIn, spansIn } from "../../support/otlp/read-otlp.ts";

const sender = { instance: "journal-1", version: "1.2.3" };

const span: Span = {
  ...runPlace("journal-1", "1736380800000"),
  parentSpanId: spanIdOf("journal-1", "1736380800000", "above"),
  name: "invoke_agent default",
  kind: "internal",
  start: 1736380800000,
  end: 1736380801500,
  attributes: { text: "grün 🌱", whole: 3, part: { double: 0.25 }, zero: { double: 0 }, yes: true, list: ["stop"] },
  links: [{ ...runPlace("journal-1", "1736380700000"), attributes: { "cortex.link.kind": "handoff" } }],
  failure: { message: "exited with code 3" },
};

function totals(): Totals {
  const made = new Totals({ since: 1736380000000, series: [] });
  made.add({ metric: "tokens", value: 5, attributes: { "gen_ai.token.type": "input" } });
  made.add({ metric: "callSeconds", value: 1e9, attributes: {} });
  made.add({ metric: "costUsd", value: 0.5, attributes: {} });
  return made;
}

const metrics = () => metricsBody(sender, totals().points, totals().since, 1736380900000);

test("spans are OTLP by the official schema, and read back as what they were", () => {
  const body: unknown = JSON.parse(tracesBody(sender, [span]));
  expect(schemaProblems("/v1/traces", body)).toEqual([]);
  expect(spansIn(body)).toEqual([
    {
      traceId: span.traceId,
      spanId: span.spanId,
      parentSpanId: span.parentSpanId,
      name: "invoke_agent default",
      kind: 1,
      startTimeUnixNano: "1736380800000000000",
      endTimeUnixNano: "1736380801500000000",
      attributes: { text: "grün 🌱", whole: 3, part: 0.25, zero: 0, yes: true, list: ["stop"] },
      links: [{ ...runPlace("journal-1", "1736380700000"), attributes: { "cortex.link.kind": "handoff" } }],
      status: { code: 2, message: "exited with code 3" },
    },
  ]);
  expect(resourceIn(body)).toMatchObject({
    "service.name": "cortex",
    "service.version": "1.2.3",
    "service.instance.id": "journal-1",
  });
});

test.each([
  [-1e300, "0"],
  [0, "0"],
  [1736380800000.4, "1736380800000000000"],
  [1e300, "9999999999999000000"],
])("a time of %j ms is one that a receiver can read", (start, nanoseconds) => {
  const body: unknown = JSON.parse(tracesBody(sender, [{ ...span, start }]));
  expect(schemaProblems("/v1/traces", body)).toEqual([]);
  expect(spansIn(body)[0]?.startTimeUnixNano).toBe(nanoseconds);
});

test("totals are OTLP by the official schema: histograms and sums since they began", () => {
  const body: unknown = JSON.parse(metrics());
  expect(schemaProblems("/v1/metrics", body)).toEqual([]);
  expect(pointsIn(body)).toMatchObject([
    {
      metric: "gen_ai.client.token.usage",
      count: 1,
      sum: 5,
      since: "1736380000000000000",
      time: "1736380900000000000",
    },
    { metric: "gen_ai.client.operation.duration", count: 1, sum: 1e9 },
    { metric: "cortex.cost_usd", sum: 0.5 },
  ]);
});

describe("the official schema, as tests hold bodies against it, finds", () => {
  const [first, ...paths] = ["resourceSpans", "0", "scopeSpans", "0", "spans", "0"];
  const spoiled = (change: Record<string, unknown>): unknown => {
    const body = JSON.parse(tracesBody(sender, [span])) as Record<string, unknown>;
    const found = paths.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], body[first ?? ""]);
    Object.assign(found as object, change);
    return body;
  };
  test.each([
    ["a field that isn't there", { colour: "red" }, "Span has no such field"],
    ["a field by its name in protobuf", { trace_id: span.traceId }, "Span has no such field"],
    ["an id in base64", { traceId: Buffer.from(span.traceId, "hex").toString("base64") }, "expected 32 hex digits"],
    ["an id of zeros", { spanId: "0".repeat(16) }, "expected 16 hex digits"],
    ["a time as a number", { endTimeUnixNano: 1736380801500000 }, "expected an integer as text"],
    ["a kind by its name", { kind: "SPAN_KIND_CLIENT" }, "expected a SpanKind as a number"],
    ["a kind that there isn't", { kind: 17 }, "expected a SpanKind as a number"],
    ["one thing where a list is expected", { links: {} }, "expected a list"],
    ["a value of two types", { attributes: [{ key: "a", value: { intValue: "1", stringValue: "1" } }] }, "already"],
    ["a lone half of a character", { name: "\ud83c" }, "expected text"],
  ])("%s", (_, change, problem) => {
    expect(schemaProblems("/v1/traces", spoiled(change)).join("\n")).toContain(problem);
  });
});
