/** The filters of the list of runs, as they stand in the address. Pure. */
import type { RunState } from "../../words/run-states.ts";

export type RunFilters = {
  text: string;
  state: StateFilter;
  persona: string;
  model: string;
  /** Of a long-lived agent, by its id. */
  agent: string;
  backend: string;
  /** YYYYMMDD: that day, or the first of several. */
  day: string;
  /** YYYYMMDD: the last of several days. */
  until: string;
};

/** States as people tell them apart, and those of the API that each stands for. */
export const stateFilters = {
  any: [],
  you: ["waiting"],
  working: ["running", "queued"],
  failed: ["failed", "orphaned"],
  done: ["finished"],
  stopped: ["cancelled"],
} as const satisfies Record<string, readonly RunState[]>;

export type StateFilter = keyof typeof stateFilters;

const isState = (name: string): name is StateFilter => Object.hasOwn(stateFilters, name);

/** Reads an address's query. What isn't a filter is left out. */
export function filtersOf(query: string): RunFilters {
  const given = new URLSearchParams(query);
  const state = given.get("state") ?? "any";
  const dayIn = (name: string) => (/^\d{8}$/.test(given.get(name) ?? "") ? (given.get(name) ?? "") : "");
  return {
    text: given.get("text") ?? "",
    state: isState(state) ? state : "any",
    persona: given.get("persona") ?? "",
    model: given.get("model") ?? "",
    agent: given.get("agent") ?? "",
    backend: given.get("backend") ?? "",
    day: dayIn("day"),
    until: dayIn("until"),
  };
}

/** The address of a list with these filters. */
export function addressOf({ state, ...rest }: RunFilters): string {
  const fields = { ...rest, state: state === "any" ? "" : state };
  const query = new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== ""));
  return query.size === 0 ? "/runs" : `/runs?${query}`;
}

/** As the API takes them. */
export function queryOf({ state, until, ...rest }: RunFilters): Record<string, string> {
  const states = stateFilters[state].join(",");
  return Object.fromEntries(
    Object.entries({ ...rest, state: states, day_to: until }).filter(([, value]) => value.trim() !== ""),
  );
}

/** Whether all runs are shown. */
export const isUnfiltered = (filters: RunFilters): boolean => Object.keys(queryOf(filters)).length === 0;
