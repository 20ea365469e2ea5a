/** A question for runs becomes a condition of SQL. Pure. */
import type { SQLInputValue } from "node:sqlite";
import type { RunRow } from "./run-row.ts";

export type RunQuery = {
  states?: readonly RunRow["state"][] | undefined;
  persona?: string | undefined;
  agent?: string | undefined;
  backend?: string | undefined;
  model?: string | undefined;
  schedule?: string | undefined;
  /** Moments in ms; the first included. */
  from?: number | undefined;
  to?: number | undefined;
  /** Words that all stand in the prompt or the result, the last as its beginning. */
  text?: string | undefined;
  /** The id behind which one goes on. */
  before?: string | undefined;
};

export type Condition = { where: string; values: Record<string, SQLInputValue> };

const fields = ["persona", "agent", "backend", "model", "schedule"] as const;

export function conditionOf(query: RunQuery): Condition {
  const parts: string[] = [];
  const values: Record<string, SQLInputValue> = {};
  const add = (part: string, name: string, value: SQLInputValue) => {
    parts.push(part);
    values[name] = value;
  };
  for (const field of fields) {
    const value = query[field];
    if (value !== undefined) add(`${field} = $${field}`, `$${field}`, value);
  }
  const { states, from, to, before, text } = query;
  if (states) add("state IN (SELECT value FROM json_each($states))", "$states", JSON.stringify(states));
  if (from !== undefined) add("id >= $from", "$from", from);
  if (to !== undefined) add("id < $to", "$to", to);
  if (before !== undefined) add("id < $before", "$before", Number(before));
  const match = text === undefined ? null : matchOf(text);
  // What has no word in it is found nowhere.
  if (text !== undefined && match === null && text.trim() !== "") parts.push("0");
  if (match !== null) add("id IN (SELECT rowid FROM words WHERE words MATCH $match)", "$match", match);
  return { where: parts.length === 0 ? "1" : parts.join(" AND "), values };
}

/** More words tell nothing more. */
const mostWords = 32;

/** Builds the query of a text: whatever it holds, the syntax is right. */
function matchOf(text: string): string | null {
  const words = [...text.matchAll(/[\p{L}\p{N}\p{M}\p{Co}]+/gu)].map(([word]) => word.slice(0, 64)).slice(0, mostWords);
  if (words.length === 0) return null;
  return words.map((word, at) => (at === words.length - 1 ? `"${word}"*` : `"${word}"`)).join(" AND ");
}
