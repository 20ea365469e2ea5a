/** Runs that fit a query, as they are now: those that have a file by the index, and those that wait for a place. */
import type { RunIndex } from "../../../journal/run-index/run-index.ts";
import type { RunQuery } from "../../../journal/run-index/run-query.ts";
import type { RunRow } from "../../../journal/run-index/run-row.ts";
import type { WaitingRuns } from "./waiting-runs.ts";

export type FoundRuns = { items: RunRow[]; total: number | null; isMore: boolean };

type Sources = {
  index: RunIndex;
  waiting: WaitingRuns;
  /** The row of a run that has a file, as it is. */
  asItIs: (row: RunRow) => RunRow;
};

/** The states of runs in progress. Their files don't tell which: those of an orphaned one say that it runs. */
const openStates: readonly RunRow["state"][] = ["queued", "running", "waiting", "orphaned"];

/** More runs than these are never in progress at once. */
const mostOpen = 10_000;

/** Finds runs, newest first. `total` is null where it isn't known, or would take longer than all the rest. */
export function findRuns({ index, waiting, asItIs }: Sources, query: RunQuery, limit: number): FoundRuns {
  const { states, before, text } = query;
  const isOpen = (state: RunRow["state"]) => openStates.includes(state);
  const settled = states ? { ...query, states: states.filter((state) => !isOpen(state)) } : query;
  const inProgress = states?.some(isOpen)
    ? index
        .list({ ...query, before: undefined, states: openStates }, mostOpen)
        .map(asItIs)
        .filter(({ state }) => states.includes(state))
    : [];
  const others = [...waiting.matching(query), ...inProgress];
  const found = index.list(settled, limit + 1).map(asItIs);
  const items = [...others.filter(({ id }) => before === undefined || id < before), ...found].toSorted((a, b) =>
    a.id < b.id ? 1 : -1,
  );
  // Counting what a common word stands in takes longer than all the rest.
  const total = text === undefined ? index.count(settled) : null;
  return {
    items: items.slice(0, limit),
    total: total === null ? null : total + others.length,
    isMore: items.length > limit,
  };
}
