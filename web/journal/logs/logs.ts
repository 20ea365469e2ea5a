/** The programs' logs: their last lines, and what comes. */
import { followLogs, lastLines, type LogLine as FileLine } from "../../../journal/logs/program-logs-reader.ts";
import { programNames } from "../../../journal/logs/program-logs.ts";
import { cutStrings } from "../../../protocol/json/cut-strings.ts";
import type { Machine } from "../../machine/machine.ts";
import type { LogLine, LogQuery } from "./log-records.ts";

type Journal = Pick<Machine, "journal">;

/** Characters of a text that is shown. */
const longestText = 4000;
/** More than this is looked through for lines of a level. */
const mostRead = 20_000;

/** As pino numbers them. */
const levelOf: Record<number, NonNullable<LogLine["level"]>> = {
  10: "trace",
  20: "debug",
  30: "info",
  40: "warn",
  50: "error",
  60: "fatal",
};
const severityOf = (name: string) => Number(Object.entries(levelOf).find(([, level]) => level === name)?.[0] ?? 0);

export function tailLogs({ journal }: Journal, query: LogQuery) {
  const { limit, level } = query;
  const read = lastLines(journal, programsOf(query), level === undefined ? limit : mostRead);
  const items = read.filter((line) => isAsked(line, query)).slice(-limit);
  return { items: items.map(lineOf), next: null };
}

/** Follows what is logged from now on. */
export async function* followedLogs({ journal }: Journal, query: LogQuery, signal: AbortSignal) {
  for await (const line of followLogs(journal, programsOf(query), 0, signal))
    if (isAsked(line, query)) yield { event: "log", data: lineOf(line) };
}

const programsOf = ({ program }: LogQuery): readonly string[] => (program === undefined ? programNames : [program]);

function isAsked({ record }: FileLine, { level }: LogQuery): boolean {
  if (level === undefined) return true;
  const { level: own } = record ?? {};
  return typeof own === "number" && own >= severityOf(level);
}

function lineOf({ program, time, text, record }: FileLine): LogLine {
  if (!record) {
    const shown = text.slice(0, longestText);
    return { program, time, level: null, text: shown, fields: {}, cut: shown.length < text.length };
  }
  const shown = cutStrings(record, longestText);
  const { level, msg, time: _, pid: __, hostname: ___, name: ____, ...fields } = shown;
  return {
    program,
    time,
    level: (typeof level === "number" && levelOf[level]) || null,
    text: typeof msg === "string" ? msg : "",
    fields,
    cut: text.length > longestText && JSON.stringify(shown).length < text.length,
  };
}
