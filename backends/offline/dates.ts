/** The days that a text speaks of. Pure: what today is stands in what it is given. */
import { isDay } from "../../protocol/names/names.ts";

/** Both included, YYYYMMDD. */
export type DayRange = { from: string; to: string };

const months = "january february march april may june july august september october november december".split(" ");
const weekdays = "sunday monday tuesday wednesday thursday friday saturday".split(" ");
const month = `(${months.join("|")}|${months.map((name) => name.slice(0, 3)).join("|")})\\b\\.?`;

/** Names of months in other languages, January first, in the form that stands between a day and a year. */
const otherMonths: readonly (readonly string[])[] = [
  "januar jänner janvier enero gennaio janeiro januari",
  "februar février fevrier febrero febbraio fevereiro februari",
  "märz maerz mars marzo março maart",
  "april avril abril aprile",
  "mai mayo maggio maio mei",
  "juni juin junio giugno junho",
  "juli juillet julio luglio julho",
  "august août aout agosto augustus",
  "september septembre septiembre settembre setembro",
  "oktober octobre octubre ottobre outubro",
  "november novembre noviembre novembro",
  "dezember décembre decembre diciembre dicembre dezembro december",
].map((names) => names.split(" "));
const otherMonth = otherMonths
  .flat()
  .toSorted((a, b) => b.length - a.length)
  .join("|");

const digits = /\b(\d{4})-?(\d{2})-?(\d{2})\b/g;
/** Year first: 2025/1/11, 2025年1月11日, 2025년 1월 11일. */
const yearFirst = /(?<!\d)(\d{4})(?:[./]|\s?[年년])\s?(\d{1,2})(?:[./]|\s?[月월])\s?(\d{1,2})(?!\d)/gu;
/** Without a year: 1月11日. */
const eastern = /(?<![\d年년]\s?)(?<!\d)(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일号號]/gu;
/** Day first: 11.1.2025, 11/01/2025. Where the second number is not a month, the first one is. */
const numbers = /(?<![\d./])(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?!\d)/gu;
const otherDayFirst = new RegExp(
  `(?<!\\d)(\\d{1,2})(?:\\.|er|º|ª|°)?\\s+(?:de\\s+|di\\s+)?(${otherMonth})(?!\\p{L})(?:,?\\s+(?:de\\s+|del\\s+)?(\\d{4}))?`,
  "giu",
);
const dayFirst = new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${month},?(?: (\\d{4}))?`, "gi");
const monthFirst = new RegExp(`\\b${month} (\\d{1,2})(?:st|nd|rd|th)?\\b(?:,? (\\d{4})\\b)?`, "gi");

const wholeMonth = new RegExp(`\\b(?:in|of|during) ${month}(?: (\\d{4}))?`, "i");

/** Length of the part of a text that is read. */
const maxLength = 10_000;

/** The day that a text names first: what today is, where the text is a run's context. */
export function firstDayOf(text: string): string | undefined {
  return datesIn(text, undefined)[0];
}

/** The days that a question is about: its dates, first to last, or what it calls yesterday, last week and so on. */
export function daysAskedFor(question: string, today: string | undefined): DayRange | undefined {
  const text = question.slice(0, maxLength);
  const dates = datesIn(text, today).toSorted();
  const [from] = dates;
  const to = dates.at(-1);
  if (from !== undefined && to !== undefined) return { from, to };
  return today === undefined ? undefined : relativeDays(text.toLowerCase(), today);
}

/** In the order in which they stand. */
function datesIn(text: string, today: string | undefined): string[] {
  const year = today?.slice(0, 4);
  const found = [
    ...[...text.matchAll(yearFirst)].map((match) => at(match, numbered(match[1], match[2], match[3]))),
    ...[...text.matchAll(eastern)].map((match) => at(match, numbered(year, match[1], match[2]))),
    ...[...text.matchAll(numbers)].map((match) => at(match, dayOrMonthFirst(match[4], match[1], match[3]))),
    ...[...text.matchAll(otherDayFirst)].map((match) =>
      at(match, numbered(match[3] ?? year, String(monthNumber(match[2])), match[1])),
    ),
    ...[...text.matchAll(digits)].map((match) => ({ at: match.index, day: `${match[1]}${match[2]}${match[3]}` })),
    ...[...text.matchAll(dayFirst)].map((match) => ({
      at: match.index,
      day: dayNamed(match[3] ?? year, match[2], match[1]),
    })),
    ...[...text.matchAll(monthFirst)].map((match) => ({
      at: match.index,
      day: dayNamed(match[3] ?? year, match[1], match[2]),
    })),
  ];
  const days = found
    .filter(({ day }) => isDay(day))
    .toSorted((a, b) => a.at - b.at)
    .map(({ day }) => day);
  return [...new Set(days)];
}

/** A day, and where in a text it stands. */
const at = (match: RegExpExecArray, day: string) => ({ at: match.index, day });

const numbered = (year = "", month = "", day = "") => `${year}${month.padStart(2, "0")}${day.padStart(2, "0")}`;

function dayOrMonthFirst(year = "", first = "", second = ""): string {
  return Number(second) > 12 ? numbered(year, first, second) : numbered(year, second, first);
}

const monthNumber = (name = "") => otherMonths.findIndex((names) => names.includes(name.toLowerCase())) + 1;

function dayNamed(year: string | undefined, monthName: string | undefined, day: string | undefined): string {
  const short = monthName?.slice(0, 3).toLowerCase() ?? "";
  const number = months.findIndex((name) => name.startsWith(short)) + 1;
  return `${year}${String(number).padStart(2, "0")}${day?.padStart(2, "0")}`;
}

const [yesterday, thisDay] = [
  /(?<!\p{L})(?:yesterday|gestern|hier|ayer|ieri|ontem|gisteren)(?!\p{L})|昨日|昨天|어제/u,
  /(?<!\p{L})(?:today|this morning|tonight|heute|aujourd['’]hui|hoy|oggi|hoje|vandaag)(?!\p{L})|今日|今天|오늘/u,
];

function relativeDays(text: string, today: string): DayRange | undefined {
  const weekday = (weekdayOf(today) + 6) % 7; // 0 is Monday
  if (yesterday.test(text)) return single(daysBefore(today, 1));
  if (thisDay.test(text)) return single(today);
  if (/\blast week\b/.test(text)) return { from: daysBefore(today, weekday + 7), to: daysBefore(today, weekday + 1) };
  if (/\bthis week\b/.test(text)) return { from: daysBefore(today, weekday), to: daysBefore(today, weekday - 6) };
  if (/\bthis month\b/.test(text)) return { from: `${today.slice(0, 6)}01`, to: monthEnd(today) };
  if (/\blast month\b/.test(text)) {
    const end = daysBefore(`${today.slice(0, 6)}01`, 1);
    return { from: `${end.slice(0, 6)}01`, to: end };
  }
  const [, name, year = today.slice(0, 4)] = wholeMonth.exec(text) ?? [];
  if (name !== undefined) {
    const first = dayNamed(year, name, "1");
    return { from: first, to: monthEnd(first) };
  }
  const [, count] = /\b(?:last|past) (\d{1,3}|few) days\b/.exec(text) ?? (/\bpast week\b/.test(text) ? ["", "7"] : []);
  if (count !== undefined) return { from: daysBefore(today, (Number(count) || 4) - 1), to: today };
  const [, ago] = /\b(\d{1,3}) days? ago\b/.exec(text) ?? [];
  if (ago !== undefined) return single(daysBefore(today, Number(ago)));
  const named = weekdays.findIndex((name) => new RegExp(`\\b${name}\\b`).test(text));
  // The last one there was: a journal is about what has been.
  return named < 0 ? undefined : single(daysBefore(today, (weekdayOf(today) - named + 7) % 7 || 7));
}

const single = (day: string): DayRange => ({ from: day, to: day });

const dateOf = (day: string) => new Date(`${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}T00:00:00Z`);

const dayOfDate = (date: Date) => date.toISOString().slice(0, 10).replaceAll("-", "");

const weekdayOf = (day: string) => dateOf(day).getUTCDay();

function daysBefore(day: string, count: number): string {
  const date = dateOf(day);
  date.setUTCDate(date.getUTCDate() - count);
  return dayOfDate(date);
}

function monthEnd(day: string): string {
  const date = dateOf(`${day.slice(0, 6)}01`);
  date.setUTCMonth(date.getUTCMonth() + 1, 0);
  return dayOfDate(date);
}

/** Every day of a range, or none if there are more than `max`. */
export function daysOf({ from, to }: DayRange, max: number): string[] {
  const days: string[] = [];
  for (let day = from; day <= to && days.length <= max; day = daysBefore(day, -1)) days.push(day);
  return days.length > max ? [] : days;
}

/** `Thursday 9 January 2025`. */
export function dayInWords(day: string): string {
  return new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeZone: "UTC" }).format(dateOf(day)).replace(",", "");
}
