/** A schedule that was said in words, and what it means: in words again, and as the next times. Pure. */
import { nextOccurrence, parseCron } from "../calendar/cron.ts";
import { dayOfWall, endOfDay, wallAt } from "../calendar/local-time.ts";
import { scheduleOfWords } from "./schedule-of-words.ts";
import { wordsOfSchedule } from "./words-of-schedule.ts";

export type ExplainedSchedule = { schedule: string; words: string; next: string[] };

const shownTimes = 5;

/** @throws ScheduleWordsError */
export function explainSchedule(said: string, now: number, timeZone: string): ExplainedSchedule {
  const schedule = scheduleOfWords(said);
  const cron = schedule === "daily" ? null : parseCron(schedule);
  const next: string[] = [];
  for (let at: number | null = now; at !== null && next.length < shownTimes; ) {
    at = cron ? nextOccurrence(cron, at, timeZone) : endOfDay(dayOfWall(wallAt(at, timeZone)), timeZone);
    if (at !== null) next.push(new Date(at).toISOString());
  }
  return { schedule, words: wordsOfSchedule(schedule), next };
}
