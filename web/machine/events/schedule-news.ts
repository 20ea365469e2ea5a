/** When the schedule has changed: a run of it has begun or ended, something was skipped, or a file has changed by which it is planned. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "../../../files/folder-entries.ts";
import { settingsPath } from "../../../journal/config/settings.ts";
import { scheduleDecidedPath } from "../../../journal/programs/schedule-decided.ts";
import type { RunRow } from "../records/run-records.ts";

/** Milliseconds after which the files are looked at again. */
const lookEveryMs = 2000;

/** @field heard takes a run's row as it changes */
export type ScheduleNews = Disposable & { heard: (row: RunRow) => void };

/** @param tell the persona whose schedule it is; null: any may have changed */
export function listenToSchedule(journal: string, tell: (schedule: string | null) => void): ScheduleNews {
  const states = new Map<string, RunRow["state"]>();
  let before = stampOf(journal);
  const looking = setInterval(() => {
    const stamp = stampOf(journal);
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

/** Names, sizes and times of the settings, of all personas' files, and of what notes the schedule's decisions. */
function stampOf(journal: string): string {
  const apps = namesIn(join(journal, "apps")).map((app) => join(journal, "apps", app, "personas"));
  const folders = [join(journal, "personas"), ...apps];
  const files = folders.flatMap((folder) => namesIn(folder).map((name) => join(folder, name))).toSorted();
  return [settingsPath(journal), scheduleDecidedPath(journal), ...files]
    .map((file) => `${file} ${timeOf(file)}`)
    .join("\n");
}

function timeOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats ? `${stats.size} ${stats.mtimeMs}` : "";
}
