/** The table of what was killed where, and how much of it went well. */
import { runFailpoints } from "../../../proc/programs/failpoint.ts";
import { columns } from "../../../scripts/command/layout/columns.ts";
import { victimName } from "./cases.ts";
import type { Done } from "./matrix.ts";

/** In the order of the table. */
const victims = ["agent", "cortex", "mcp-tools", "nats-server", "supervisor", "all but supervisor", "all"];

/** A row a point, a column a victim: how often it was killed there, and how often something was wrong then. */
export function tableOf(done: Done[]): string {
  return tableOfKilled(
    done.map((one) => ({ ...one, victim: victimName(one) })),
    runFailpoints,
    victims,
  );
}

type Killed = { point: string; victim: string; isReached: boolean; problems: string[] };

export function tableOfKilled(done: Killed[], points: readonly string[], columnsOf: readonly string[]): string {
  const killed = done.filter(({ isReached }) => isReached);
  const row = (name: string, there: Killed[]) => [
    name,
    ...columnsOf.map((victim) => cell(there.filter((one) => one.victim === victim))),
    cell(there),
  ];
  const byPoint = Map.groupBy(killed, ({ point }) => point);
  return columns([
    ["killed at", ...columnsOf, "sum"],
    ...points.map((point) => row(point, byPoint.get(point) ?? [])),
    row("sum", killed),
  ]);
}

function cell(there: Killed[]): string {
  const wrong = there.filter(({ problems }) => problems.length > 0).length;
  if (there.length === 0) return "·";
  return wrong === 0 ? String(there.length) : `${there.length} (${wrong} wrong)`;
}
