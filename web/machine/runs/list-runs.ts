/** A page of the list of runs. */
import type { RunQuery as IndexQuery } from "../../../journal/run-index/run-query.ts";
import { addDays, endOfDay } from "../../../schedule/calendar/local-time.ts";
import type { MachineBase } from "../base/machine-base.ts";
import { RunState, type RunList, type RunNames, type RunQuery } from "../records/run-records.ts";
import type { LiveRuns } from "./live-runs.ts";

type Deps = Pick<MachineBase, "timeZone"> & { runs: LiveRuns };

export async function listRuns({ runs, timeZone }: Deps, query: RunQuery): Promise<RunList> {
  const { items, total, isMore } = await runs.list(indexQuery(query, timeZone), query.limit);
  return { items, next: isMore ? (items.at(-1)?.id ?? null) : null, total };
}

/** The query of the index: days are those of a time zone. */
export function indexQuery(query: RunQuery, timeZone: string): IndexQuery {
  const { limit: _, cursor, state, day, day_to = day, text, ...fields } = query;
  return {
    ...fields,
    states: state?.split(",").map((one) => RunState.parse(one)),
    ...(day !== undefined && { from: endOfDay(addDays(day, -1), timeZone) }),
    ...(day_to !== undefined && { to: endOfDay(day_to, timeZone) }),
    text: text?.trim() || undefined,
    before: cursor ?? undefined,
  };
}

/** More names of a kind than these nobody looks through. */
const mostNames = 500;

/** Lists the names by which runs can be filtered, in order. */
export const runNames = ({ runs }: Deps): Promise<RunNames> => runs.names(mostNames);
