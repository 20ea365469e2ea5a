/** The words of people become a schedule, and a schedule becomes words of people. */
import { describe, expect, test } from "vitest";
import { scheduleOfWords } from "../../../schedule/words/schedule-of-words.ts";
import { wordsOfSchedule } from "../../../schedule/words/words-of-schedule.ts";

describe("a schedule in words", () => {
  test.each([
    ["every weekday at 7", "0 7 * * 1-5", "Every weekday at 07:00"],
    ["Every day at 7:30", "30 7 * * *", "Every day at 07:30"],
    ["weekdays 18.15", "15 18 * * 1-5", "Every weekday at 18:15"],
    ["mondays and thursdays at 6 pm", "0 18 * * 1,4", "Every Monday and Thursday at 18:00"],
    ["every monday, wednesday and friday at 9", "0 9 * * 1,3,5", "Every Monday, Wednesday and Friday at 09:00"],
    ["monday to thursday at noon", "0 12 * * 1,2,3,4", "Every Monday, Tuesday, Wednesday and Thursday at 12:00"],
    ["friday to monday at 8", "0 8 * * 0,1,5,6", "Every Monday, Friday, Saturday and Sunday at 08:00"],
    ["weekends at 10 in the morning", "0 10 * * 0,6", "Every Saturday and Sunday at 10:00"],
    ["every day at 7 in the evening", "0 19 * * *", "Every day at 19:00"],
    ["at 7, 12 and 18 every day", "0 7,12,18 * * *", "Every day at 07:00, 12:00 and 18:00"],
    ["every 15 minutes", "*/15 * * * *", "Every 15 minutes"],
    ["every 60 minutes", "0 * * * *", "Every hour"],
    ["every hour from 9 to 17 on weekdays", "0 9-17 * * 1-5", "Every hour from 09:00 to 17:00, every weekday"],
    [
      "every 30 minutes between 8 and 10",
      "*/30 8-10 * * *",
      "Every day at 08:00, 08:30, 09:00, 09:30, 10:00 and 10:30",
    ],
    ["every other hour", "0 */2 * * *", "Every 2 hours"],
    ["on the 1st and 15th of every month at 8", "0 8 1,15 * *", "On the 1st and 15th of the month at 08:00"],
    ["monthly at midnight", "0 0 1 * *", "On the 1st of the month at 00:00"],
    ["on the 24th of december at 9 am", "0 9 24 12 *", "On the 24th of the month at 09:00 in December"],
    ["every night", "daily", "Every day after midnight, for the day that is over"],
    ["10 8 * * 2", "10 8 * * 2", "Every Tuesday at 08:10"],
  ])("%s is %s, and means: %s", (said, schedule, meaning) => {
    expect(scheduleOfWords(said)).toBe(schedule);
    expect(wordsOfSchedule(schedule)).toBe(meaning);
  });

  test.each([
    ["every weekday", "at what time"],
    ["every weekday at 7 except easter", '"except easter" isn\'t understood'],
    ["every 7 minutes", "60 can be divided by"],
    ["at 7:30 and 8:15", "different minutes"],
    ["every day at 25", "not a time of day"],
    ["every day at 13 pm", "not a time of day"],
    ["on the 32nd of the month at 8", "not a cron expression"],
    ["from 9 to 17", "what time"],
    ["61 8 * * 2", "not a cron expression"],
    ["", "expected a few words"],
    ["<script>alert(1)</script> at 7", "isn't understood"],
    ["every day at 7 ".repeat(100), "expected a few words"],
  ])("that isn't understood is refused: %s", (said, why) => {
    expect(() => scheduleOfWords(said)).toThrow(why);
  });
});

test.each([
  ["0 9 13 * 5", "On the 13th of the month and every Friday at 09:00"],
  [
    "0 9 */2 * 5",
    "On the 1st, 3rd, 5th, 7th, 9th, 11th, 13th, 15th, 17th, 19th, 21st, 23rd, 25th, 27th, 29th and 31st of the month where it is Friday at 09:00",
  ],
  ["5 * * * *", "Every hour at 5 past"],
  ["1,2,7 0-8 * * *", "Every day 27 times from 00:01 to 08:07"],
  ["* * * 1,2 *", "Every minute in January and February"],
])("%s means: %s", (schedule, meaning) => {
  expect(wordsOfSchedule(schedule)).toBe(meaning);
});
