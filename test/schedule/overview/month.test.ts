/** A month at a glance. */
import { expect, test } from "vitest";
import { readSchedule } from "../../../schedule/calendar/scheduled.ts";
import type { HistoryRow } from "../../../schedule/overview/history-rows.ts";
import { monthOverview } from "../../../schedule/overview/month.ts";

const scheduled = (name: string, schedule: string) =>
  readSchedule({ name, instruction: "x", settings: { schedule }, source: "journal", path: "" }, schedule);
const row = (day: string, persona: string, state: HistoryRow["state"]): HistoryRow => ({
  day,
  time: null,
  persona,
  facet: null,
  state,
  attempts: 1,
  agent_id: "1736380800000",
  reason: null,
  at: "",
});

const parts = {
  month: "202501",
  on: [scheduled("digest", "daily"), scheduled("standup", "0 7,9 * * 1-5"), scheduled("pulse", "* * * * *")],
  history: [
    row("20250108", "digest", "done"),
    row("20250108", "digest", "failed"),
    { ...row("20250107", "gone", "skipped"), agent_id: null },
  ],
  timeZone: "Europe/Berlin",
  now: Date.parse("2025-01-30T08:30:00+01:00"),
};

test("a month shows what ran by day and persona, and what is to come from now on", () => {
  const days = monthOverview(parts) ?? [];
  expect(days).toHaveLength(31);
  const cellsOf = (day: string) => days.find((one) => one.day === day)?.cells ?? [];
  const none = { times: [], upcoming: 0, done: 0, failed: 0, skipped: 0, missed: 0, late: 0, running: 0 };
  expect(cellsOf("20250108")).toEqual([{ ...none, persona: "digest", done: 1, failed: 1 }]);
  expect(cellsOf("20250107")).toEqual([{ ...none, persona: "gone", skipped: 1, missed: 1 }]);
  expect(cellsOf("20250129")).toEqual([]);
  const [digest, pulse, standup] = cellsOf("20250130");
  expect(digest).toEqual({ ...none, persona: "digest", times: [null], upcoming: 1 });
  expect(standup).toEqual({ ...none, persona: "standup", times: ["0900"], upcoming: 1 });
  expect(pulse).toMatchObject({ upcoming: 929, times: expect.objectContaining({ length: 24 }) });
  expect(cellsOf("20250131").find(({ persona }) => persona === "standup")?.times).toEqual(["0700", "0900"]);
});

test("what should have run and didn't is missed, and what began well after its time is late", () => {
  const history = [
    { ...row("20250106", "digest", "skipped"), agent_id: null },
    { ...row("20250106", "digest", "skipped"), agent_id: null, facet: "garden" },
    { ...row("20250107", "digest", "failed"), agent_id: null, attempts: 0 },
    { ...row("20250108", "digest", "done"), agent_id: String(Date.parse("2025-01-09T05:59:00+01:00")) },
    { ...row("20250109", "digest", "done"), agent_id: String(Date.parse("2025-01-10T06:01:00+01:00")) },
    { ...row("20250110", "standup", "done"), time: "0700", agent_id: String(Date.parse("2025-01-10T07:14:00+01:00")) },
    { ...row("20250111", "standup", "done"), time: "0700", agent_id: String(Date.parse("2025-01-11T07:16:00+01:00")) },
  ];
  const days = monthOverview({ ...parts, history }) ?? [];
  expect(days.slice(5, 11).map(({ cells }) => cells.map(({ missed, late }) => ({ missed, late })))).toEqual([
    [{ missed: 1, late: 0 }],
    [{ missed: 1, late: 0 }],
    [{ missed: 0, late: 0 }],
    [{ missed: 0, late: 1 }],
    [{ missed: 0, late: 0 }],
    [{ missed: 0, late: 1 }],
  ]);
});

test.each(["2025", "202513", "202500", "000001", "<b>", ""])("%j is not a month", (month) => {
  expect(monthOverview({ ...parts, month })).toBe(null);
});
