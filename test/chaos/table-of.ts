/** What was killed where, and how much of it went well, as a table. */
import { durablePoints } from "../../proc/durable-point.ts";
import { columns } from "../../scripts/columns.ts";
import { victimName } from "./cases.ts";
import type { Done } from "./matrix.ts";

/** In the order of the table. */
const victims = ["agent", "cortex", "mcp-tools", "nats-server", "supervisor", "all but supervisor", "all"];

/** A row a point, a column a victim: how often it was killed there, and how often something was wrong then. */
export function tableOf(done: Done[]): string {
  const killed = done.filter(({ isReached }) => isReached);
  const row = (name: string, there: Done[]) => [
    name,
    ...victims.map((victim) => cell(there.filter((one) => victimName(one) === victim))),
    cell(there),
  ];
  const points = Map.groupBy(killed, ({ point }) => point);
  return columns([
    ["killed at", ...victims, "sum"],
    ...durablePoints.map((point) => row(point, points.get(point) ?? [])),
    row("sum", killed),
  ]);
}

function cell(there: Done[]): string {
  const wrong = there.filter(({ problems }) => problems.length > 0).length;
  if (there.length === 0) return "·";
  return wrong === 0 ? String(there.length) : `${there.length} (${wrong} wrong)`;
}
