/** The meaning of a schedule, in a sentence for people. Pure. */
import { type CronFields, readFields } from "../calendar/cron.ts";

const dayNames = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const monthNames = "January February March April May June July August September October November December".split(" ");

/** More times of a day than this are told as a span. */
const mostTimes = 6;

/** @throws Error when it is no schedule */
export function wordsOfSchedule(schedule: string): string {
  if (schedule.trim() === "daily") return "Every day after midnight, for the day that is over";
  const fields = readFields(schedule);
  const { time, isWithinDay } = timeText(fields);
  const days = dayText(fields);
  const months =
    fields.months.size === 12 ? "" : ` in ${listText([...fields.months].map((month) => monthNames[month - 1] ?? ""))}`;
  const sentence = days === "every day" && !isWithinDay ? time : isWithinDay ? `${days} ${time}` : `${time}, ${days}`;
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}${months}`;
}

/** `isWithinDay`: the text says times of a day, and wants the days before it. */
function timeText({ minutes, hours }: CronFields): { time: string; isWithinDay: boolean } {
  const times = hours.flatMap((hour) => minutes.map((minute) => clockText(hour, minute)));
  if (times.length <= mostTimes) return { time: `at ${listText(times)}`, isWithinDay: true };
  const [first = "", last = ""] = [times[0], times.at(-1)];
  const often = stepText(minutes, hours);
  if (often === null) return { time: `${times.length} times from ${first} to ${last}`, isWithinDay: true };
  const isAllDay = (hours[0] ?? 0) === 0 && (hours.at(-1) ?? 0) + stepOf(hours) > 23;
  return { time: isAllDay ? often : `${often} from ${first} to ${last}`, isWithinDay: false };
}

/** How often within a day, where it is even. */
function stepText(minutes: readonly number[], hours: readonly number[]): string | null {
  const step = stepOf(hours);
  const [minute = 0] = minutes;
  if (step === 0 || (minutes.length > 1 && step !== 1)) return null;
  if (minutes.length === 1) {
    const past = minute === 0 ? "" : ` at ${minute} past`;
    return step === 1 ? `every hour${past}` : `every ${step} hours${past}`;
  }
  const between = stepOf(minutes);
  if (between === 0 || minute !== 0 || 60 % between !== 0 || minutes.length !== 60 / between) return null;
  return between === 1 ? "every minute" : `every ${between} minutes`;
}

/** The distance of neighbours, or 0 where it isn't the same everywhere. */
function stepOf(numbers: readonly number[]): number {
  const steps = new Set(numbers.slice(1).map((number, index) => number - (numbers[index] ?? 0)));
  const [step = 0] = steps;
  return steps.size === 1 ? step : 0;
}

function dayText({ monthDays, weekDays, isEither }: CronFields): string {
  const isEveryDate = monthDays.size === 31;
  const isEveryWeekday = [0, 1, 2, 3, 4, 5, 6].every((day) => weekDays.has(day));
  const dates = `on the ${listText([...monthDays].toSorted((a, b) => a - b).map(ordinal))} of the month`;
  if (isEither) return `${dates} and ${weekdayText(weekDays)}`;
  if (isEveryDate) return isEveryWeekday ? "every day" : weekdayText(weekDays);
  return isEveryWeekday ? dates : `${dates} where it is ${listText(namesOf(weekDays), "or")}`;
}

function weekdayText(weekDays: ReadonlySet<number>): string {
  const numbers = [...weekDays].toSorted((a, b) => a - b).join("");
  if (numbers === "12345") return "every weekday";
  if (numbers === "06") return "every Saturday and Sunday";
  return `every ${listText(namesOf(weekDays))}`;
}

/** From Monday on, as a week goes. */
const namesOf = (weekDays: ReadonlySet<number>) =>
  [1, 2, 3, 4, 5, 6, 0].filter((day) => weekDays.has(day)).map((day) => dayNames[day] ?? "");

const clockText = (hour: number, minute: number) =>
  `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;

function ordinal(day: number): string {
  const ending = { one: "st", two: "nd", few: "rd", other: "th", many: "th", zero: "th" };
  return `${day}${ending[ordinals.select(day)]}`;
}
const ordinals = new Intl.PluralRules("en", { type: "ordinal" });

const listText = (words: string[], and = "and") =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${and} ${words.at(-1)}`;
