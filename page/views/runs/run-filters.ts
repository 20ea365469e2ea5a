/** The filters of the list of runs, as they stand in the address. Pure. */
import type { RunState } from "../../words/runs/run-states.ts";

export type RunFilters = {
  text: string;
  /** The values of which one is enough; empty: any. */
  states: readonly StateFilter[];
  persona: string;
  model: string;
  /** The persona whose schedule asked. */
  schedule: string;
  /** The id of a long-lived agent. */
  agent: string;
  backend: string;
  /** YYYYMMDD: that day, or the first of several. */
  day: string;
  /** YYYYMMDD: the last of several days. */
  until: string;
};

/** States as people tell them apart, and those of the API that each stands for. */
export const stateFilters = {
  you: ["waiting"],
  working: ["running", "queued"],
  failed: ["failed", "orphaned"],
  done: ["finished"],
  stopped: ["cancelled"],
} as const satisfies Record<string, readonly RunState[]>;

export type StateFilter = keyof typeof stateFilters;

const allStates = Object.keys(stateFilters) as StateFilter[];

/** Reads an address's query. What isn't a filter is left out. */
export function filtersOf(query: string): RunFilters {
  const given = new URLSearchParams(query);
  const dayIn = (name: string) => (/^\d{8}$/.test(given.get(name) ?? "") ? (given.get(name) ?? "") : "");
  return {
    text: given.get("text") ?? "",
    states: statesIn(given.get("state") ?? ""),
    persona: given.get("persona") ?? "",
    model: given.get("model") ?? "",
    schedule: given.get("schedule") ?? "",
    agent: given.get("agent") ?? "",
    backend: given.get("backend") ?? "",
    day: dayIn("day"),
    until: dayIn("until"),
  };
}

/** States with commas between, as people call them or as the API does; in the order of the bar. All of them are any. */
function statesIn(text: string): readonly StateFilter[] {
  const named = new Set(text.split(","));
  const states = allStates.filter((state) => named.has(state) || stateFilters[state].some((ofApi) => named.has(ofApi)));
  return states.length === allStates.length ? [] : states;
}

/** The states after a press on one: that one alone, or any where it was alone. */
export function pressed(states: readonly StateFilter[], state: StateFilter): readonly StateFilter[] {
  return states.length === 1 && states[0] === state ? [] : [state];
}

/** The address of a list with these filters. */
export function addressOf({ states, ...rest }: RunFilters): string {
  const fields = { ...rest, state: states.join(",") };
  const query = new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== ""));
  return query.size === 0 ? "/runs" : `/runs?${query}`;
}

/** As the API takes them. */
export function queryOf({ states, until, ...rest }: RunFilters): Record<string, string> {
  const state = states.flatMap((one) => [...stateFilters[one]]).join(",");
  return Object.fromEntries(
    Object.entries({ ...rest, state, day_to: until }).filter(([, value]) => value.trim() !== ""),
  );
}

type Filtered = { state: RunState } & Record<(typeof ownFields)[number], string | null>;

const ownFields = ["persona", "model", "schedule", "agent", "backend"] as const;

/** Whether a run that has come fits the filters, as far as its row tells: text and days are the server's to look for. */
export function mayFit({ states, ...filters }: RunFilters, run: Filtered): boolean {
  const isOfState = states.length === 0 || states.some((one) => stateFilters[one].some((state) => state === run.state));
  return isOfState && ownFields.every((field) => filters[field] === "" || filters[field] === run[field]);
}

/** Whether all runs are shown. */
export const isUnfiltered = (filters: RunFilters): boolean => Object.keys(queryOf(filters)).length === 0;
