/** The part of the costs that is shown, as it stands in the address, and where their runs are listed. Pure. */
import type { ApiRecord } from "../../api/client.ts";
import { personName, shortId } from "../../words/names/names.ts";

export type Cost = ApiRecord<"Cost">;
export type CostRow = Cost["rows"][number];
export type Grouping = Cost["by"];

export const groupings: readonly (readonly [Grouping, string])[] = [
  ["day", "Day"],
  ["persona", "Persona"],
  ["agent", "Agent"],
  ["model", "Model"],
  ["backend", "Provider"],
];

export type CostPlace = {
  by: Grouping;
  /** The last day that is shown: empty for today. */
  to: string;
  /** The row whose part of each day is shown. */
  of: string;
};

export function placeOf(query: Record<string, string>): CostPlace {
  const { by, to = "", of = "" } = query;
  return { by: groupings.find(([one]) => one === by)?.[0] ?? "persona", to: /^\d{8}$/.test(to) ? to : "", of };
}

export function addressOf({ by, to, of }: CostPlace): string {
  const query = new URLSearchParams();
  if (by !== "persona") query.set("by", by);
  if (to !== "") query.set("to", to);
  if (of !== "") query.set("of", of);
  return query.size === 0 ? "/cost" : `/cost?${query}`;
}

/** The runs behind a number; null: no filter names them. */
export function runsOf(by: Grouping, name: string | null, from: string, to: string): string | null {
  const query = new URLSearchParams();
  if (name !== null && by !== "day") {
    if (by === "agent" ? name === "none" : name === "unknown") return null;
    query.set(by, name);
  }
  query.set("day", from);
  if (to !== from) query.set("until", to);
  return `/runs?${query}`;
}

/** A row's name for people; days have names of their own. */
export function nameOf(by: Grouping, { name, agent_name }: Pick<CostRow, "name" | "agent_name">): string {
  if (by === "agent") return name === "none" ? "No long-lived agent" : (agent_name ?? `Agent ${shortId(name)}`);
  if (name === "unknown") return by === "model" ? "No model known" : "Not known";
  return by === "persona" ? personName(name) : name;
}

/** A file for a spreadsheet. A name is never a formula there. */
export function csvOf({ by, rows }: Pick<Cost, "by" | "rows">): string {
  const fields = [
    "runs",
    "unknown_runs",
    "calls",
    "input_tokens",
    "cached_input_tokens",
    "output_tokens",
    "reasoning_tokens",
    "total_tokens",
    "known_cost_usd",
    "unpriced_tokens",
  ] as const;
  const cell = (text: string) => {
    const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const lines = rows.map((row) => [cell(row.name), ...fields.map((field) => String(row[field]))].join(","));
  return `${[[by, ...fields].join(","), ...lines].join("\r\n")}\r\n`;
}
