/** Records of the schedule as the API gives them. */
import { z } from "zod";
import { namePattern, personaNamePattern } from "../../../protocol/names/names.ts";
import { Day } from "../access/day.ts";
import { Time } from "../../../workspace/records/fields.ts";

export const PersonaName = z
  .string()
  .regex(personaNamePattern)
  .meta({ description: "A persona's name, `app:name` for one of an app." });

const UnitState = z.enum(["running", "done", "failed", "skipped"]);

export const ScheduleRow = z
  .object({
    persona: z.string(),
    source: z.string().meta({ description: "`built-in`, `journal` or `app:<app>`." }),
    schedule: z.string().meta({ description: "`daily`, or a cron expression." }),
    words: z.string().nullable().meta({ description: "The meaning in words; null: it can't be read." }),
    on: z.boolean(),
    reason: z.string().nullable().meta({ description: "Why it is off." }),
    facets: z.enum(["no", "active", "all"]),
    next: Time.nullable(),
    last: z.object({ day: z.string(), time: z.string().nullable(), at: z.string() }).nullable(),
    result: UnitState.nullable(),
    missed: z
      .int()
      .nullable()
      .meta({ description: "How many days or times are due and haven't had their turn; null: the bus is away." }),
    when_missed: z.string(),
  })
  .meta({ id: "ScheduleRow" });

export const Schedules = z.object({
  time_zone: z.string(),
  items: z.array(ScheduleRow),
  next: z.null().meta({ description: "All are on one page." }),
});

export const HistoryQuery = z.object({
  day: Day.optional(),
  persona: PersonaName.optional(),
  limit: z.coerce.number().int().min(1).max(500).default(100),
});

export const ScheduledRun = z
  .object({
    day: z.string(),
    time: z.string().nullable().meta({ description: "Null: a daily run." }),
    persona: z.string(),
    facet: z.string().nullable(),
    state: UnitState,
    attempts: z.int(),
    agent_id: z.string().nullable().meta({ description: "The run." }),
    reason: z.string().nullable().meta({ description: "Why it failed, or was skipped." }),
    at: z.string(),
  })
  .meta({ id: "ScheduledRun" });

export const ScheduleHistory = z.object({ items: z.array(ScheduledRun), next: z.null() });

export const MonthQuery = z.object({
  month: z
    .string()
    .regex(/^\d{6}$/, "expected a month as YYYYMM")
    .optional()
    .meta({ description: "YYYYMM. Default: this month." }),
});

export const ScheduleMonth = z.object({
  time_zone: z.string(),
  month: z.string(),
  days: z.array(
    z.object({
      day: z.string(),
      cells: z.array(
        z.object({
          persona: z.string(),
          times: z
            .array(z.string().nullable())
            .meta({ description: "HHMM of those to come, at most 24; null: after midnight." }),
          upcoming: z.int(),
          done: z.int(),
          failed: z.int(),
          skipped: z.int().meta({ description: "For a facet in which nothing had happened, too." }),
          missed: z.int().meta({ description: "The ones that should have run, and didn't." }),
          late: z.int().meta({ description: "The ones that began well after their time." }),
          running: z.int(),
        }),
      ),
    }),
  ),
});

export const WordsQuery = z.object({
  words: z.string().max(1000).meta({ description: 'Such as "every weekday at 7", "daily", or a cron expression.' }),
});

export const ExplainedSchedule = z.object({
  schedule: z.string().meta({ description: "As settings have it." }),
  words: z.string().meta({ description: "The meaning in words." }),
  next: z.array(Time).meta({ description: "The next times." }),
});

export const ScheduleChange = z.object({
  on: z.boolean().optional().meta({ description: "False pauses it." }),
  words: z.string().max(1000).nullable().optional().meta({
    description: "Its schedule, in words or as an expression; null: none. Written into the persona of the journal.",
  }),
});

export const ChangedSchedule = z.object({
  persona: z.string(),
  schedule: z.string().nullable(),
  words: z.string().nullable(),
  on: z.boolean(),
});

export const DayRun = z.object({
  day: Day.optional().meta({ description: "Default: yesterday for a daily persona, else today." }),
  facet: z.string().regex(namePattern).optional(),
  force: z.boolean().default(false).meta({ description: "Also what was done, or has failed too often." }),
});

export const StartedDay = z.object({
  persona: z.string(),
  day: z.string(),
  run: z
    .string()
    .nullable()
    .meta({ description: "The first run; null: it waits its turn behind another scheduled run." }),
});
