/** Operations on the schedule: who runs when, and how it went. */
import { refusing } from "../../../journal/access/refusals.ts";
import { runNow } from "../../../journal/schedule/run-now.ts";
import {
  ChangedSchedule,
  DayRun,
  ExplainedSchedule,
  HistoryQuery,
  MonthQuery,
  PersonaName,
  ScheduleChange,
  ScheduleHistory,
  ScheduleMonth,
  Schedules,
  StartedDay,
  WordsQuery,
} from "../../../journal/schedule/schedule-records.ts";
import {
  changeSchedule,
  explained,
  listSchedules,
  scheduleHistory,
  scheduleMonth,
} from "../../../journal/schedule/schedules.ts";
import { operation } from "../../table/operation.ts";

const forOwner = { subject: null, role: "owner", isOutside: true } as const;

export const schedule = [
  operation({
    ...forOwner,
    id: "schedule.list",
    method: "GET",
    path: "/schedules",
    summary: "The personas with a schedule: the next time, the last result, what was missed",
    answer: Schedules,
    handle: ({ machine }) => refusing(() => listSchedules(machine)),
  }),
  operation({
    ...forOwner,
    id: "schedule.history",
    method: "GET",
    path: "/schedule/history",
    summary: "Scheduled runs and their outcomes, also those that didn't run, and why; newest first",
    query: HistoryQuery,
    answer: ScheduleHistory,
    handle: ({ machine }, { query }) => refusing(() => scheduleHistory(machine, query)),
  }),
  operation({
    ...forOwner,
    id: "schedule.month",
    method: "GET",
    path: "/schedule/month",
    summary: "The days of a month: what ran, and what is to come",
    query: MonthQuery,
    answer: ScheduleMonth,
    handle: ({ machine }, { query }) => refusing(() => scheduleMonth(machine, query.month)),
  }),
  operation({
    ...forOwner,
    id: "schedule.explain",
    method: "GET",
    path: "/schedule/explained",
    summary: 'What words such as "every weekday at 7" mean as a schedule, and the next times',
    query: WordsQuery,
    answer: ExplainedSchedule,
    handle: ({ machine }, { query }) => refusing(() => explained(machine, query.words)),
  }),
  operation({
    ...forOwner,
    id: "schedule.set",
    method: "PATCH",
    path: "/schedules/{id}",
    pathId: PersonaName,
    summary: "Set a persona's schedule, pause it, or go on",
    body: ScheduleChange,
    answer: ChangedSchedule,
    refusals: [409],
    handle: ({ machine }, { id, body }) => refusing(() => changeSchedule(machine, id, body)),
  }),
  operation({
    ...forOwner,
    id: "schedule.run",
    method: "POST",
    path: "/schedules/{id}/runs",
    pathId: PersonaName,
    summary: "Do the runs of a day now, as its schedule would",
    body: DayRun,
    status: 202,
    answer: StartedDay,
    handle: ({ machine }, { id, body }) => refusing(() => runNow(machine, id, body)),
  }),
];
