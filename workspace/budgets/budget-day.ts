/** The day that a budget is of. Pure. */
import { dayOf } from "../../protocol/names/day.ts";

/** As people in a time zone count it: its name, and when it began, in ms. */
export type BudgetDay = { name: string; start: number };

/** Longer than any day, with the hour that some have more. */
const longestDayMs = 26 * 3_600_000;

export function budgetDay(now: number, timeZone: string): BudgetDay {
  const name = dayOf(now, timeZone);
  let [before, within] = [now - longestDayMs, now];
  while (within - before > 1) {
    const middle = Math.floor((before + within) / 2);
    if (dayOf(middle, timeZone) === name) within = middle;
    else before = middle;
  }
  return { name, start: within };
}
