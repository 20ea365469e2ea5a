/** Which lines of the logs are shown: the filters, which are part of the address. Pure. */
import type { ApiRecord } from "../../api/client.ts";
import { asJson } from "../../words/text/values.ts";

export type LogLine = ApiRecord<"LogLine">;

export type LevelFilter = "any" | "info" | "warn" | "error";

export type LogFilters = { program: string; level: LevelFilter; text: string };

export const levels: readonly (readonly [LevelFilter, string])[] = [
  ["any", "All"],
  ["info", "Usual"],
  ["warn", "Warnings"],
  ["error", "Errors"],
];

export function filtersOf(query: Record<string, string>): LogFilters {
  const { program = "", level, text = "" } = query;
  return { program, level: levels.find(([one]) => one === level)?.[0] ?? "any", text };
}

export function addressOf({ program, level, text }: LogFilters): string {
  const query = new URLSearchParams();
  if (program !== "") query.set("program", program);
  if (level !== "any") query.set("level", level);
  if (text !== "") query.set("text", text);
  return query.size === 0 ? "/logs" : `/logs?${query}`;
}

/** Builds the question to the server: the words are looked for here. */
export const askedOf = ({ program, level }: LogFilters): Record<string, string> => ({
  ...(program !== "" && { program }),
  ...(level !== "any" && { level }),
});

/** Writes the other fields of a line, in one line. */
export function fieldsOf({ fields }: LogLine): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" ");
}

/** Whether all the words stand somewhere in the line. */
export function hasWords(line: LogLine, words: string): boolean {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return true;
  const said = `${line.program} ${line.level ?? ""} ${line.text} ${asJson(line.fields)}`.toLowerCase();
  return wanted.every((word) => said.includes(word));
}
