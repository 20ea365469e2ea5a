/** The names, ids and days that may come from outside, each with the strict pattern that it must match. */
import { z } from "zod";

/** A run's id: its millisecond timestamp as a decimal string. Thirteen digits hold until the year 2286. */
export const AgentId = z
  .string()
  .regex(/^\d{13}$/, "expected 13 digits, a millisecond timestamp")
  .meta({ description: "A run's id: its millisecond timestamp as 13 decimal digits.", examples: ["1736380800000"] });

/** A persona, facet or backend. Starts with a letter or digit, so that it can be no option, no hidden file, no `..`. */
export const namePattern = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** A persona's name: plain, or `app:name` for one of `apps/<app>/personas/`. */
export const personaNamePattern = /^([a-z0-9][a-z0-9_-]{0,63}:)?[a-z0-9][a-z0-9_-]{0,63}$/;

/** A file name below a day's folder: segments without `..`, hidden names, control characters or backslashes. */
export const savePattern = /^(?!\/)(?:(?!\.)[^\p{Cc}/\\]{1,200}\/)*(?!\.)[^\p{Cc}/\\]{1,200}$/u;

/** Whether a day's digits are a date of the calendar: `20250230` has the form and isn't one. */
export function isDay(day: string): boolean {
  if (!/^\d{8}$/.test(day)) return false;
  const iso = `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`;
  const date = new Date(`${iso}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(iso);
}

/** An event's name on the wire. It becomes a token of a subject, so no dot, space or wildcard can be in it. */
export const eventNamePattern = /^[a-z][a-z0-9_]{0,63}$/;

/** An environment variable that every shell can set. */
export const variablePattern = /^[A-Za-z_][A-Za-z0-9_]{0,255}$/;

/** A worktree's id: that of the run, or of the long-lived agent, that it was made for. */
export const worktreeId = /^[a-z0-9]{8,64}$/;
