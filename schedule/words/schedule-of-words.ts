/**
 * A schedule from what people say, such as "every weekday at 7". Each part that is understood is taken out of the text; what is
 * left over, if anything, is named, so that nothing is guessed. Pure.
 */
import { messageOf } from "../../files/errors/error-message.ts";
import { parseCron } from "../calendar/cron.ts";

/** Words that aren't understood, with those that would be. */
export class ScheduleWordsError extends Error {
  override name = "ScheduleWordsError";
}

const longestText = 200;
const example =
  'for example "every weekday at 7", "mondays and thursdays at 18:30", "every 15 minutes" or "on the 1st of the month at 8"';

const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

const dayName = "(?:sun|mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?)(?:days?)?";
const monthName =
  "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t|tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";
const clock = "(?:noon|midday|midnight|\\d{1,2}(?:[:.]\\d{2})?(?: ?(?:am|pm))?(?: o'clock)?)";
const and = "(?:,? and |, ?)";

/** Words that say nothing by themselves. */
const filler = /^(?:every|each|on|at|the|of|and|in|days?|months?|a|an|o'clock|,)$/;

/** The schedule as settings have it: `daily`, or a cron expression. @throws ScheduleWordsError */
export function scheduleOfWords(said: string): string {
  const text = said.trim().toLowerCase().replace(/\s+/g, " ");
  if (text === "" || text.length > longestText) throw new ScheduleWordsError(`expected a few words, ${example}`);
  if (/^(?:daily|nightly|every night|each night)$/.test(text)) return "daily";
  if (/^[\d*/,\- ]+$/.test(text) && text.split(" ").length === 5) return checkedCron(text);
  const left = new LeftText(` ${text} `);
  const interval = intervalOf(left);
  const span = spanOf(left);
  const days = daysOf(left);
  const times = interval === null ? timesOf(left) : null;
  left.requireNothing();
  if (interval === null && times === null)
    throw new ScheduleWordsError(`"${text}" doesn't say at what time: ${example}`);
  if (interval === null && span !== null)
    throw new ScheduleWordsError(`"${text}" says from when to when, and not how often: add "every hour", or such`);
  const { minute, hour } = interval ? withSpan(interval, span) : cronTimes(times ?? []);
  return checkedCron(`${minute} ${hour} ${days.dates} ${days.months} ${days.weekdays}`);
}

/** The text that isn't understood yet. */
class LeftText {
  #text: string;
  constructor(text: string) {
    this.#text = text;
  }

  /** Takes out the first match, and returns it with its groups. */
  takeWords(pattern: RegExp): RegExpExecArray | null {
    const match = pattern.exec(this.#text);
    if (match) this.#text = `${this.#text.slice(0, match.index)} ${this.#text.slice(match.index + match[0].length)}`;
    return match;
  }

  /** @throws ScheduleWordsError with the words that weren't understood */
  requireNothing(): void {
    const words = this.#text.split(/\s+/).filter((word) => word !== "" && !filler.test(word.replace(/,$/, "") || ","));
    if (words.length > 0) throw new ScheduleWordsError(`"${words.join(" ")}" isn't understood here: ${example}`);
  }
}

type Interval = { unit: "minute" | "hour"; every: number };

function intervalOf(left: LeftText): Interval | null {
  if (left.takeWords(/ hourly(?= )/)) return { unit: "hour", every: 1 };
  const match = left.takeWords(/ (?:every|each) (?:(\d{1,3}|other) )?(minute|hour)s?(?= )/);
  if (!match) return null;
  const [, count = "1", unit] = match;
  const every = count === "other" ? 2 : Number(count);
  const whole = unit === "minute" ? 60 : 24;
  if (every < 1 || every > whole || whole % every !== 0)
    throw new ScheduleWordsError(
      `every ${every} ${unit}s doesn't come at the same times of each ${unit === "minute" ? "hour" : "day"}: take a number that ${whole} can be divided by`,
    );
  if (every === whole && unit === "hour") throw new ScheduleWordsError('for every 24 hours, say "every day at 7"');
  return every === 60 ? { unit: "hour", every: 1 } : { unit: unit === "minute" ? "minute" : "hour", every };
}

type Time = { hour: number; minute: number };

function spanOf(left: LeftText): { from: number; to: number } | null {
  const match = left.takeWords(new RegExp(` (?:from|between) (${clock}) (?:to|until|and) (${clock})(?= )`));
  if (!match) return null;
  const [from, to] = [timeOf(match[1] ?? ""), timeOf(match[2] ?? "")];
  if (from.minute !== 0 || to.minute !== 0 || from.hour > to.hour)
    throw new ScheduleWordsError(`"${match[0].trim()}": expected whole hours, the earlier one first`);
  return { from: from.hour, to: to.hour };
}

function withSpan({ unit, every }: Interval, span: { from: number; to: number } | null) {
  const hours = span === null ? "*" : `${span.from}-${span.to}`;
  if (unit === "minute") return { minute: every === 1 ? "*" : `*/${every}`, hour: hours };
  return { minute: "0", hour: every === 1 ? hours : `${hours}/${every}` };
}

function daysOf(left: LeftText) {
  return { dates: datesOf(left), months: monthsOf(left), weekdays: weekdaysOf(left) };
}

function weekdaysOf(left: LeftText): string {
  if (left.takeWords(/ (?:(?:every|on) )?(?:weekdays?|workdays?|working days?)(?= )/)) return "1-5";
  if (left.takeWords(/ (?:(?:every|on|at) )?(?:the )?weekends?(?= )/)) return "0,6";
  const range = left.takeWords(new RegExp(` (?:from )?(${dayName}) (?:to|until|through|-) (${dayName})(?= )`));
  if (range) {
    const [from, to] = [weekdayOf(range[1] ?? ""), weekdayOf(range[2] ?? "")];
    const count = ((to - from + 7) % 7) + 1;
    return Array.from({ length: count }, (_, index) => (from + index) % 7)
      .toSorted((a, b) => a - b)
      .join(",");
  }
  const list = left.takeWords(new RegExp(` (?:(?:every|each|on) )?(${dayName}(?:${and}${dayName})*)(?= |,)`));
  if (!list) return "*";
  const days = (list[1] ?? "").split(/,? and |, ?/).map(weekdayOf);
  return [...new Set(days)].toSorted((a, b) => a - b).join(",");
}

const weekdayOf = (name: string) => weekdays.indexOf(name.slice(0, 3));

function datesOf(left: LeftText): string {
  const date = "\\d{1,2}(?:st|nd|rd|th)";
  const list = left.takeWords(new RegExp(` (?:on )?(?:the )?(${date}(?:${and}(?:the )?${date})*)(?: day)?(?= |,)`));
  if (list)
    return (list[1] ?? "")
      .split(/,? and |, ?/)
      .map((one) => Number.parseInt(one.replace("the ", ""), 10))
      .toSorted((a, b) => a - b)
      .join(",");
  return left.takeWords(/ monthly(?= )/) ? "1" : "*";
}

function monthsOf(left: LeftText): string {
  const list = left.takeWords(new RegExp(` (?:(?:in|of|every) )?(${monthName}(?:${and}${monthName})*)(?= |,)`));
  if (!list) return "*";
  return (list[1] ?? "")
    .split(/,? and |, ?/)
    .map((name) => months.indexOf(name.slice(0, 3)) + 1)
    .toSorted((a, b) => a - b)
    .join(",");
}

function timesOf(left: LeftText): Time[] | null {
  const named = left.takeWords(new RegExp(` at (${clock}(?:${and}(?:at )?${clock})*)(?= |,)`));
  const found =
    named ??
    left.takeWords(
      new RegExp(` (\\d{1,2}(?:[:.]\\d{2})(?: ?(?:am|pm))?|\\d{1,2} ?(?:am|pm)|noon|midday|midnight)(?= )`),
    );
  if (!found) return null;
  const part = left.takeWords(/ (?:in the (morning|afternoon|evening)|at (night))(?= )/);
  const isLate = part !== null && part[1] !== "morning";
  const times = (found[1] ?? "").split(/,? and |, ?/).map((one) => timeOf(one.replace("at ", "")));
  return times.map(({ hour, minute }) => ({ hour: isLate && hour > 0 && hour < 12 ? hour + 12 : hour, minute }));
}

function timeOf(text: string): Time {
  if (/noon|midday/.test(text)) return { hour: 12, minute: 0 };
  if (text.includes("midnight")) return { hour: 0, minute: 0 };
  const [, hours = "", minutes = "0", half] = /^(\d{1,2})(?:[:.](\d{2}))?(?: ?(am|pm))?/.exec(text) ?? [];
  const said = Number(hours);
  const hour = half === undefined ? said : (said % 12) + (half === "pm" ? 12 : 0);
  const isWrongHalf = half !== undefined && (said < 1 || said > 12);
  if (hour > 23 || Number(minutes) > 59 || isWrongHalf)
    throw new ScheduleWordsError(`"${text}" is not a time of day: expected one such as 7, 18:30 or 7 pm`);
  return { hour, minute: Number(minutes) };
}

function cronTimes(times: Time[]): { minute: string; hour: string } {
  const minutes = new Set(times.map(({ minute }) => minute));
  if (minutes.size > 1)
    throw new ScheduleWordsError(
      "times with different minutes need a schedule each: take times such as 7:30 and 18:30",
    );
  const hours = [...new Set(times.map(({ hour }) => hour))].toSorted((a, b) => a - b);
  return { minute: [...minutes].join(), hour: hours.join(",") };
}

/** In one form, whatever was said. */
function checkedCron(expression: string): string {
  try {
    parseCron(expression);
  } catch (error) {
    throw new ScheduleWordsError(`"${expression}" is not a cron expression: ${messageOf(error)}`, { cause: error });
  }
  return expression;
}
