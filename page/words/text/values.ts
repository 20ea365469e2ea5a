/** Values that tools take and give back, as they are shown. Pure. */
import { isRecord } from "../json/read-json.ts";

/** A text as it is, anything else as JSON. */
export function asJson(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined ? "" : JSON.stringify(value, null, 2);
}

export type Rows = { columns: string[]; rows: string[][] };

const mostColumns = 8;
const mostRows = 100;

/** A result that is a list of records, or holds one, as a table; null where it isn't. */
export function rowsOf(result: unknown): Rows | null {
  const value = typeof result === "string" ? parsed(result) : result;
  const list = listIn(value);
  if (list === null || list.length === 0) return null;
  const columns = [...new Set(list.flatMap((record) => Object.keys(record)))];
  if (columns.length === 0 || columns.length > mostColumns) return null;
  const cell = (field: unknown) => (field === undefined || field === null ? "" : asJson(field));
  return { columns, rows: list.slice(0, mostRows).map((record) => columns.map((name) => cell(record[name]))) };
}

function parsed(text: string): unknown {
  const begin = text.trimStart().charAt(0);
  if (begin !== "[" && begin !== "{") return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

type Fields = Record<string, unknown>;

function listIn(value: unknown): Fields[] | null {
  if (isRecords(value)) return value;
  if (!isRecord(value)) return null;
  const lists = Object.values(value).filter(isRecords);
  return lists.length === 1 ? (lists[0] ?? null) : null;
}

const isRecords = (value: unknown): value is Fields[] => Array.isArray(value) && value.every(isRecord);

/** A long text's head and tail, and how many lines lie between. */
export function headAndTail(text: string, most = 60): { head: string; hidden: number; tail: string } {
  const lines = text.split("\n");
  if (lines.length <= most) return { head: text, hidden: 0, tail: "" };
  const each = Math.floor(most / 2);
  return {
    head: lines.slice(0, each).join("\n"),
    hidden: lines.length - 2 * each,
    tail: lines.slice(-each).join("\n"),
  };
}
