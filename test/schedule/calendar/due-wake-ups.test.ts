import { expect, test } from "vitest";
import { AgentsSettings } from "../../../protocol/agents/agents-settings.ts";
import { dueWakeUps } from "../../../schedule/calendar/due-wake-ups.ts";

const at = (text: string) => Date.parse(text);
const cron = { tidy: { schedule: "0 6 * * *", prompt: "Tidy up.", max_cost_usd_per_day: 1 } };
const now = at("2026-11-22T09:00:00Z");

test("a wake-up never seen begins now; one that is due comes once, also when several times were missed", () => {
  const first = dueWakeUps({ cron }, {}, now, "UTC");
  expect(first).toEqual({ messages: [], wakeUps: { tidy: now }, problems: [] });
  const later = at("2026-11-25T07:00:00Z");
  const due = dueWakeUps({ cron }, first.wakeUps, later, "UTC");
  const occurrence = at("2026-11-25T06:00:00Z");
  expect(due.messages).toEqual([
    { id: `tidy-${occurrence}`, text: "Tidy up.", channel: { type: "cron", channelId: "tidy" } },
  ]);
  expect(dueWakeUps({ cron }, first.wakeUps, later, "UTC").messages).toEqual(due.messages);
  expect(dueWakeUps({ cron }, due.wakeUps, later, "UTC").messages).toEqual([]);
});

test("nobody is woken unless the settings say so, and what it may cost on a day; nor by what they said once", () => {
  const heartbeat = { every_minutes: 30, max_cost_usd_per_day: 1 };
  const { wakeUps } = dueWakeUps({ cron, heartbeat }, {}, now, "UTC");
  const later = now + 2 * 24 * 60 * 60_000;
  expect(dueWakeUps(AgentsSettings.parse({ cron, heartbeat }), wakeUps, later, "UTC").messages).toHaveLength(2);
  expect(dueWakeUps(AgentsSettings.parse({}), wakeUps, later, "UTC")).toEqual({
    messages: [],
    wakeUps: {},
    problems: [],
  });
  const { max_cost_usd_per_day: _, ...unlimited } = heartbeat;
  expect(AgentsSettings.safeParse({ heartbeat: unlimited }).success).toBe(false);
  expect(AgentsSettings.safeParse({ cron: { tidy: { ...cron.tidy, max_cost_usd_per_day: 0 } } }).success).toBe(false);
});

test("a clock that goes back wakes nobody again", () => {
  const { wakeUps } = dueWakeUps({ cron }, { tidy: at("2026-11-22T06:00:00Z") }, at("2026-11-22T05:00:00Z"), "UTC");
  expect(dueWakeUps({ cron }, wakeUps, at("2026-11-22T06:30:00Z"), "UTC").messages).toEqual([]);
});

test("the heartbeat beats in its time, and a broken expression stops nobody", () => {
  const settings = {
    cron: { ...cron, broken: { schedule: "0 25 * * *", prompt: "x", max_cost_usd_per_day: 1 } },
    heartbeat: { every_minutes: 30, max_cost_usd_per_day: 1 },
  };
  const first = dueWakeUps(settings, {}, now, "UTC");
  expect(first.problems).toEqual([expect.stringContaining("agents.cron.broken.schedule")]);
  const due = dueWakeUps(settings, first.wakeUps, now + 31 * 60_000, "UTC");
  expect(due.messages.map(({ id }) => id)).toEqual([`heartbeat-${now + 30 * 60_000}`]);
});
