/** `cortex schedule list` as a table. */
import { dayOfWall, timeOfWall, wallAt } from "../../schedule/calendar/local-time.ts";
import type { ScheduleRow } from "../../schedule/overview/schedule-rows.ts";
import { columns } from "../command/layout/columns.ts";

export function scheduleTable(rows: ScheduleRow[], timeZone: string): string {
  const local = (iso: string) => {
    const wall = wallAt(Date.parse(iso), timeZone);
    const [day, time] = [dayOfWall(wall), timeOfWall(wall)];
    return `${day} ${time.slice(0, 2)}:${time.slice(2)}`;
  };
  const lines = rows.map(({ persona, schedule, on, facets, next, last, result, missed, reason }) => [
    persona,
    schedule,
    facets,
    on ? (next === null ? "never" : local(next)) : "off",
    last ? [last.day, last.time].filter((part) => part !== null).join(" ") : "-",
    result ?? "-",
    missed === null ? "?" : String(missed),
    reason ?? "",
  ]);
  return columns([["PERSONA", "SCHEDULE", "FACETS", "NEXT", "LAST", "RESULT", "MISSED", ""], ...lines]);
}
