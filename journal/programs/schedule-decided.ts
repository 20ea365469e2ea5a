/** A file of `.run/` that is newer after each decision of the schedule's: what runs, and what is skipped, which no run tells of. */
import { writeFileSync } from "node:fs";
import { runtime } from "../config/paths.ts";

export const scheduleDecidedPath = (journal: string) => runtime(journal, "schedule-decided");

export function noteScheduleDecided(journal: string): void {
  writeFileSync(scheduleDecidedPath(journal), `${Date.now()}\n`);
}
