import { expect, test } from "vitest";
import { dayRows } from "../../../../page/views/runs/run-rows.ts";

const run = (id: string, requested_at: string, cost_usd: number | null = 0.1) => ({ id, requested_at, cost_usd });

test("a day stands before its runs, with what they cost", () => {
  const runs = [
    run("3", "2025-01-20T08:00:00.000Z"),
    run("2", "2025-01-19T23:30:00.000Z"),
    run("1", "2025-01-19T12:00:00.000Z", null),
  ];
  const rows = dayRows("Europe/Copenhagen")({ all: runs }, Date.UTC(2025, 0, 20, 9));
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
  rowsOf({ all: [first] }, Date.UTC(2025, 0, 20, 9));
  const all = [{ ...first, cost_usd: 0.5 }, run("1", "2025-01-20T07:00:00.000Z")];
  const rows = rowsOf({ all }, Date.UTC(2025, 0, 20, 9));
  expect(rows.map((row) => (row.kind === "day" ? row.costUsd : row.run.cost_usd))).toEqual([0.6, 0.5, 0.1]);
});

test("runs that are read on are added to the rows that there are", () => {
  const rowsOf = dayRows("UTC");
  const all = [run("3", "2025-01-20T08:00:00.000Z")];
  const now = Date.UTC(2025, 0, 20, 9);
  const before = [...rowsOf({ all }, now)];
  all.push(run("2", "2025-01-20T07:00:00.000Z"), run("1", "2025-01-19T07:00:00.000Z"));
  const rows = rowsOf({ all }, now);
  expect(rows.slice(0, 2)).toEqual(before);
  expect(rows[1]).toBe(before[1]);
  expect(rows.map((row) => (row.kind === "day" ? row.costUsd : row.run.id))).toEqual([0.2, "3", "2", 0.1, "1"]);
});

test("days are named anew in the next year", () => {
  const rowsOf = dayRows("UTC");
  const all = [run("1", "2025-12-31T08:00:00.000Z")];
  const names = [Date.UTC(2025, 11, 31, 9), Date.UTC(2026, 0, 1, 9)].map((now) => {
    const [day] = rowsOf({ all }, now);
    return day?.kind === "day" && day.name;
  });
  expect(names).toEqual(["Wednesday, 31 December", "Wednesday, 31 December 2025"]);
});
