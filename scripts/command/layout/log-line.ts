/** A line of a program's log, for people: time, program, level, message, and whatever else it says. */
import type { LogLine } from "../../../journal/logs/program-logs-reader.ts";

export type LogLook = {
  timeZone: string;
  /** Wide enough for every program that is shown. */
  programWidth: number;
  paint: (style: "red" | "yellow" | "dim" | "bold", text: string) => string;
};

const levels: [from: number, name: string, style: "red" | "yellow" | "dim" | null][] = [
  [60, "FATAL", "red"],
  [50, "ERROR", "red"],
  [40, "WARN", "yellow"],
  [30, "info", null],
  [20, "debug", "dim"],
  [0, "trace", "dim"],
];
const errorLevel = 50;
/** Shown at most of a value. */
const maxLength = 4000;

/** The fields that are said elsewhere in the line, or of no use to a person. */
const shownElsewhere = new Set(["time", "level", "msg", "name", "pid", "from", "err"]);

export function showLogLine(
  { program, time, text, record }: LogLine,
  { timeZone, programWidth, paint }: LogLook,
): string {
  const begin = `${paint("dim", timeText(time, timeZone))} ${program.padEnd(programWidth)}`;
  if (record === null) return `${begin} ${paint("dim", "?".padEnd(5))} ${plain(text)}`;
  const level = Number(record["level"]);
  const [, name, style] = levels.find(([from]) => level >= from) ?? [0, "?", null];
  const label = name.padEnd(5);
  const error = errorOf(record["err"]);
  const message = plain(messageOf(record["msg"])) + (error.message ? `: ${error.message}` : "");
  const fields = Object.entries(record)
    .filter(([key, value]) => !shownElsewhere.has(key) && value !== undefined)
    .map(([key, value]) => ` ${paint("dim", `${plain(key)}=`)}${plain(valueText(value))}`);
  const stack = level >= errorLevel ? error.stack.map((line) => `\n    ${paint("dim", line)}`) : [];
  return `${begin} ${style ? paint(style, label) : label} ${message}${fields.join("")}${stack.join("")}`;
}

const messageOf = (value: unknown) => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

/** pino writes an error as its type, message and stack. */
function errorOf(value: unknown): { message: string; stack: string[] } {
  if (typeof value === "string") return { message: plain(value), stack: [] };
  if (typeof value !== "object" || value === null) return { message: "", stack: [] };
  const { message, stack } = value as Record<string, unknown>;
  const lines = typeof stack === "string" ? stack.split("\n").filter((line) => /^\s+at |^caused by/i.test(line)) : [];
  return { message: plain(typeof message === "string" ? message : JSON.stringify(value)), stack: lines.map(plain) };
}

function valueText(value: unknown): string {
  return typeof value === "string" && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
}

/** `2026-10-09 12:00:00.123`, as it was there. */
function timeText(time: number, timeZone: string): string {
  if (!Number.isFinite(time) || Math.abs(time) > 8.64e15) return "?".padEnd(23);
  const format = formatOf(timeZone);
  return `${format.format(time)}.${String(((time % 1000) + 1000) % 1000).padStart(3, "0")}`;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  // Swedish dates are written like this.
  const format =
    formats.get(timeZone) ?? new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
  formats.set(timeZone, format);
  return format;
}

/** Logs hold what others wrote: nothing of it moves the cursor. */
function plain(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trimEnd();
  return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line;
}
