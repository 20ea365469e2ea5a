/**
 * The content of the first view: what needs the owner, is at work, has failed, and was done today. The index tells it;
 * no run's file is read.
 */
import { WorkspaceError } from "../../../workspace/records/workspace-error.ts";
import type { MachineBase } from "../base/machine-base.ts";
import type { LiveDecisions } from "../decisions/live-decisions.ts";
import type { MachineEvents } from "../events/machine-events.ts";
import type { MachineHealth } from "../health/machine-health.ts";
import type { Now, ScheduleDone } from "../records/machine-records.ts";
import type { RunRow } from "../records/run-records.ts";
import type { LiveRuns } from "../runs/live-runs.ts";
import { midnightOf, sumsOfToday } from "../runs/sums-of-today.ts";
import { PutAwayRuns } from "./put-away-runs.ts";

/** So many rows of a part are told; their sums are of all. */
const [mostWorking, mostFailed, mostDone] = [200, 100, 100];
/** Failures that are looked through for those that nobody has repaired. */
const mostLookedThrough = 1000;
/** Schedules, and runs of each. */
const [mostSchedules, mostOfSchedule] = [50, 48];
/** Milliseconds for which a failure is shown. */
const failedMs = 7 * 24 * 3_600_000;

type Deps = Pick<MachineBase, "journal" | "timeZone"> & {
  runs: LiveRuns;
  health: MachineHealth;
  events: MachineEvents;
  decisions: LiveDecisions;
};

export class NowView {
  readonly #deps: Deps;
  readonly #putAway: PutAwayRuns;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#putAway = new PutAwayRuns(deps.journal, (id) => deps.runs.isThere(id));
  }

  async get(): Promise<Now> {
    const { runs, health, events, decisions, timeZone } = this.#deps;
    // Before anything is read: what comes meanwhile is told behind it.
    const { position } = events;
    const [active, problems, needs_you] = await Promise.all([runs.working(), health.problems(), decisions.list()]);
    const working = active.filter(isAtWork);
    const { done, ...today } = sumsOfToday(runs.recent, working, timeZone);
    const failed = this.#failed(active);
    return {
      needs_you,
      working: working.slice(0, mostWorking),
      failed: runs.shown(failed.slice(0, mostFailed)),
      done_today: this.#doneSince(midnightOf(timeZone)),
      totals: { working: working.length, failed: failed.length, done_today: done },
      health: problems,
      today,
      position,
    };
  }

  /** Puts a failed run away. @throws WorkspaceError `not_found` */
  async dismiss(id: string): Promise<void> {
    const { runs, events } = this.#deps;
    const row = await runs.get(id);
    if (!row || !isFailed(row)) throw new WorkspaceError("not_found", `there is no run ${id} that has failed`);
    await this.#putAway.add(id);
    // Other pages look again.
    events.tellEvent("run.changed", row);
  }

  /**
   * Lists the failed runs of the last week that were neither repaired nor put away, newest first; before them those
   * that no cortex has.
   */
  #failed(active: readonly RunRow[]): RunRow[] {
    const { recent } = this.#deps.runs;
    const away = this.#putAway.ids;
    const broken = [...active.filter(isOrphaned), ...recent.failed(Date.now() - failedMs, mostLookedThrough)];
    return broken.filter((row) => !away.has(row.id) && !recent.isMended(row));
  }

  /** Runs, and those of a schedule as one, newest first. */
  #doneSince(since: number): Now["done_today"] {
    const { runs } = this.#deps;
    const { recent } = runs;
    const schedules = recent.schedules(since, mostSchedules).map(
      ({ schedule, runs: total, failed, cost_usd, ended_at }): ScheduleDone => ({
        schedule,
        total,
        failed,
        runs: runs.shown(recent.ofSchedule(schedule, since, mostOfSchedule)),
        cost_usd,
        ended_at: new Date(ended_at).toISOString(),
      }),
    );
    const done = [...schedules, ...runs.shown(recent.done(since, mostDone))];
    return done.toSorted((a, b) => (endOf(a) < endOf(b) ? 1 : -1)).slice(0, mostDone);
  }
}

const atWork: ReadonlySet<RunRow["state"]> = new Set(["queued", "running", "waiting"]);
/** Between its terminal event and the end of its file a run is no longer at work. */
const isAtWork = ({ state }: RunRow) => atWork.has(state);
const isOrphaned = ({ state }: RunRow) => state === "orphaned";
const isFailed = ({ state }: RunRow) => state === "failed" || state === "orphaned";

const endOf = ({ ended_at }: { ended_at: string | null }) => ended_at ?? "";
