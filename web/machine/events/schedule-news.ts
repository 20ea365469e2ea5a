/** When the schedule has changed: a run of it has begun or ended, something was skipped, or a file has changed by which it is planned. */
import { join } from "node:path";
import { namesIn } from "../../../files/folder-entries.ts";
import { settingsPath } from "../../../journal/config/settings.ts";
import { scheduleDecidedPath } from "../../../journal/programs/schedule-decided.ts";
import type { RunRow } from "../records/run-records.ts";
import { stampOf } from "./files-stamp.ts";

/** Milliseconds after which the files are looked at again. */
const lookEveryMs = 2000;

/** @field heard takes a run's row as it changes */
export type ScheduleNews = Disposable & { heard: (row: RunRow) => void };

/** @param tell the persona whose schedule it is; null: any may have changed */
export function listenToSchedule(journal: string, tell: (schedule: string | null) => void): ScheduleNews {
  const states = new Map<string, RunRow["state"]>();
  let before = stampOf(pathsOf(journal));
  const looking = setInterval(() => {
    const stamp = stampOf(pathsOf(journal));
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

const pathsOf = (journal: string) => [
  settingsPath(journal),
  scheduleDecidedPath(journal),
  join(journal, "personas"),
  ...namesIn(join(journal, "apps")).map((app) => join(journal, "apps", app, "personas")),
];
