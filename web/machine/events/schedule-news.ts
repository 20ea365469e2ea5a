/** When a schedule's runs have changed: one has begun or ended, or something was skipped. The files by which it is planned are parts of the journal. */
import { scheduleDecidedPath } from "../../../journal/programs/schedule-decided.ts";
import type { RunRow } from "../records/run-records.ts";
import { stampOf } from "./files-stamp.ts";

/** Milliseconds after which the file is looked at again. */
const lookEveryMs = 2000;

/** @field heard takes a run's row as it changes */
export type ScheduleNews = Disposable & { heard: (row: RunRow) => void };

/** @param tell the persona whose schedule it is; null: any may have changed */
export function listenToSchedule(journal: string, tell: (schedule: string | null) => void): ScheduleNews {
  const states = new Map<string, RunRow["state"]>();
  let before = stampOf([scheduleDecidedPath(journal)]);
  const looking = setInterval(() => {
    const stamp = stampOf([scheduleDecidedPath(journal)]);
    if (stamp === before) return;
    before = stamp;
    tell(null);
  }, lookEveryMs).unref();
  return {
    heard: ({ id, schedule, state, ended_at }) => {
      if (schedule === null || states.get(id) === state) return;
      if (ended_at === null) states.set(id, state);
      else states.delete(id);
      tell(schedule);
    },
    [Symbol.dispose]: () => clearInterval(looking),
  };
}
