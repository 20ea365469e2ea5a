/** A month as a strip: a mark a day. */
import { dayMark, type DayCell, stripWords } from "../../words/time/schedule-words.ts";
import { dayKey } from "../../words/time/times.ts";
import "./month-strip.css";

type StripProps = {
  month: string;
  days: readonly string[];
  cellOf: (day: string) => DayCell | undefined;
  now: number;
  timeZone: string;
};

export function MonthStrip({ month, days, cellOf, now, timeZone }: StripProps) {
  const today = dayKey(now, timeZone);
  const marks = days.map((day) => ({ day, mark: dayMark(cellOf(day)) }));
  return (
    <span class="month" role="img" aria-label={stripWords(month, marks)} style={{ "--days": days.length }}>
      {marks.map(({ day, mark }) => (
        <i key={day} class={`${mark.replace(" ", "-")}${day === today ? " today" : ""}`} />
      ))}
    </span>
  );
}

/** The days above the strips: the first, each Monday, and today. */
export function MonthDays({ days, now, timeZone }: Pick<StripProps, "days" | "now" | "timeZone">) {
  const today = dayKey(now, timeZone);
  const at = days.indexOf(today);
  const shown = days
    .map((day, index) => ({ day, index, isToday: index === at }))
    .filter(({ index, isToday }) => isToday || (index % 7 === 0 && (at === -1 || Math.abs(index - at) > 2)));
  return (
    <span class="month-days" aria-hidden="true">
      {shown.map(({ day, index, isToday }) => (
        <span key={day} class={isToday ? "today" : ""} style={{ left: `${(index / days.length) * 100}%` }}>
          {Number(day.slice(6))}
        </span>
      ))}
    </span>
  );
}

const legend = [
  ["done", "done"],
  ["failed", "failed"],
  ["late", "late"],
  ["missed", "missed"],
  ["running", "runs now"],
  ["to-come", "to come"],
] as const;

export function Legend() {
  return (
    <span class="legend" aria-hidden="true">
      {legend.map(([name, word]) => (
        <span key={name}>
          <i class={name} />
          {word}
        </span>
      ))}
    </span>
  );
}
