import { expect, test } from "vitest";
import { dayRows } from "../../../../page/views/runs/run-rows.ts";

const run = (id: string, requested_at: string, cost_usd: number | null = 0.1) => ({ id, requested_at, cost_usd });

test("a day stands before its runs, with what they cost", () => {
  const runs = [
    run("3", "2025-01-20T08:00:00.000Z"),
    run("2", "2025-01-19T23:30:00.000Z"),
    run("1", "2025-01-19T12:00:00.000Z", null),
  ];
  const rows = dayRows("Europe/Copenhagen")(runs, Date.UTC(2025, 0, 20, 9));
  expect(rows.map((row) => (row.kind === "day" ? `${row.name} ${row.costUsd}` : row.run.id))).toEqual([
    "Monday, 20 January 0.2",
    "3",
    "2",
    "Sunday, 19 January 0",
    "1",
  ]);
});

test("a run that is listed anew, changed or behind others, counts once and with what it costs now", () => {
  const rowsOf = dayRows("UTC");
  const first = run("2", "2025-01-20T08:00:00.000Z");
  rowsOf([first], Date.UTC(2025, 0, 20, 9));
  const rows = rowsOf([{ ...first, cost_usd: 0.5 }, run("1", "2025-01-20T07:00:00.000Z")], Date.UTC(2025, 0, 20, 9));
  expect(rows.map((row) => (row.kind === "day" ? row.costUsd : row.run.cost_usd))).toEqual([0.6, 0.5, 0.1]);
});
