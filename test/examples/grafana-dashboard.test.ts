import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import {
  attributes,
  histograms,
  operations,
  overflowAttribute,
  ownAttributes,
  resourceAttributes,
  sums,
} from "../../telemetry/conventions/names.ts";
import { Totals } from "../../telemetry/metrics/totals.ts";
import { map, recorded, begun, eventsOf } from "../telemetry/spans/mapped.ts";

type Target = { refId: string; expr?: string; query?: string; datasource: { type: string; uid: string } };
type Panel = {
  id: number;
  title: string;
  type: string;
  gridPos: Record<"x" | "y" | "w" | "h", number>;
  targets: Target[];
};
type Dashboard = {
  uid: string;
  schemaVersion: number;
  panels: Panel[];
  templating: { list: { name: string; query: string | { query: string } }[] };
};

const path = fileURLToPath(new URL("../../examples/telemetry/grafana-dashboard.json", import.meta.url));
const dashboard = JSON.parse(readFileSync(path, "utf8")) as Dashboard;
const { panels, templating } = dashboard;
const targets = panels.flatMap((panel) => panel.targets.map((target) => ({ title: panel.title, ...target })));
const variables = templating.list.map(({ name }) => name);
const ofVariables = templating.list.flatMap(({ query }) => (typeof query === "string" ? [] : [query.query]));
const expressions = [...targets.flatMap(({ expr }) => expr ?? []), ...ofVariables];

/** A name as Prometheus has it, by OpenTelemetry's rule: a unit in braces is left out, a total says that it is one. */
const word = (name: string) => name.replaceAll(/[^a-zA-Z0-9_]/g, "_");
const seconds = (unit: string) => (unit === "s" ? "_seconds" : "");
const known = new Set([
  ...Object.values(histograms).flatMap(({ name, unit }) =>
    ["bucket", "sum", "count"].map((part) => `${word(name)}${seconds(unit)}_${part}`),
  ),
  ...Object.values(sums).map(({ name }) => `${word(name)}_total`),
]);
const metricsIn = (expression: string) =>
  expression.match(/\b(?:gen_ai|cortex)_\w+_(?:bucket|sum|count|total)\b/g) ?? [];

/** The labels that the series of each metric have, from all that a run can measure. */
const labels = (() => {
  const call = { event: "retry", at: 200, attempt: 1, delay_ms: 0, reason: "429", status: 429 };
  const usage = { event: "usage", at: 300, model: "m-1", input_tokens: 1, output_tokens: 1, cost_usd: 1 };
  const tool = { event: "tool_end", at: 400, tool: "read", call_id: "c1", is_error: true };
  const failed = eventsOf([...begun, call, usage, tool, { event: "error", at: 500, error: "x", reason: "crash" }]);
  const totals = new Totals({ since: 0, series: [] });
  for (const { measures } of [map(recorded("offline")), map(failed)]) for (const one of measures) totals.add(one);
  const { histogramPoints, sumPoints } = totals.points;
  const found = new Map<string, Set<string>>();
  for (const { metric, attributes: own } of [...histogramPoints, ...sumPoints]) {
    const { name } = { ...histograms, ...sums }[metric];
    const own_labels = found.get(word(name)) ?? new Set();
    for (const label of Object.keys(own)) own_labels.add(word(label));
    found.set(word(name), own_labels);
  }
  return found;
})();

test("it can be read by Grafana: panels with ids and places of their own, and data sources that are chosen", () => {
  expect(dashboard).toMatchObject({ uid: expect.any(String), schemaVersion: expect.any(Number) });
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
  for (const { x, y, w, h } of panels.map(({ gridPos }) => gridPos)) {
    const over = panels.filter(({ gridPos: other }) => {
      const isBeside = other.x >= x + w || x >= other.x + other.w || other.y >= y + h || y >= other.y + other.h;
      return !isBeside;
    });
    expect(over).toHaveLength(1);
  }
  for (const { datasource } of targets) expect(variables.map((name) => `\${${name}}`)).toContain(datasource.uid);
});

describe("its queries of metrics", () => {
  test("there are some", () => expect(expressions.length).toBeGreaterThan(10));

  test.each(expressions)("name metrics and labels that are sent: %s", (expression) => {
    const metrics = metricsIn(expression);
    expect(metrics.length).toBeGreaterThan(0);
    for (const metric of metrics) expect(known).toContain(metric);
    const ofMetrics = [...labels].filter(([name]) => metrics.some((metric) => metric.startsWith(name)));
    const allowed = new Set(["le", ...ofMetrics.flatMap(([, own]) => [...own])]);
    const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(/,\s*/));
    const filtered = [...expression.matchAll(/(\w+)(?:=~|!=|!~|=)"/g)].map(([, label = ""]) => label);
    const listed = [...expression.matchAll(/^label_values\(\w+, (\w+)\)$/g)].map(([, label = ""]) => label);
    for (const label of [...grouped, ...filtered, ...listed]) expect(allowed).toContain(label);
    for (const [, name = ""] of expression.matchAll(/"\$(\w+)"/g)) expect(variables).toContain(name);
  });

  test("leave no metric out", () => {
    const used = new Set(expressions.flatMap(metricsIn).map((name) => name.replace(/_(?:bucket|sum|count)$/, "")));
    const all = [...known].map((name) => name.replace(/_(?:bucket|sum|count)$/, ""));
    expect([...used].toSorted()).toEqual([...new Set(all)].toSorted());
  });
});

test("its queries of traces name attributes and operations that are sent", () => {
  const queries = targets.flatMap(({ query }) => query ?? []);
  expect(queries).not.toEqual([]);
  const sent: readonly string[] = Object.values({
    ...attributes,
    ...ownAttributes,
    ...resourceAttributes,
    overflowAttribute,
  });
  for (const query of queries) {
    for (const [, name = ""] of query.matchAll(/\b(?:span|resource)\.([\w.]+)/g)) expect(sent).toContain(name);
    for (const [, operation = ""] of query.matchAll(/operation\.name = "(\w+)"/g))
      expect(Object.values<string>(operations)).toContain(operation);
  }
});
