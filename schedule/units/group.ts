/** The next unit of a group. */
import type { ScheduleStore } from "../../bus/schedule/schedule-ledger.ts";
import type { Group, Unit, UnitRecord } from "../../protocol/programs/schedule.ts";

/** From docs/contract.md. */
export const maxAttempts = 3;

/** A unit's turn. `ts` is the id of a run that was asked for before: nobody has it in hand any more. */
export type UnitAttempt = { unit: Unit; attempt: number; ts?: number };

/** The first of a group's units that hasn't run, or may run again. `of` names the group. */
export async function nextOfGroup(
  of: Unit,
  group: Group,
  ledger: ScheduleStore,
  mayRunAgain: (record: UnitRecord, revision: number) => boolean,
): Promise<UnitAttempt | null> {
  for (const facet of group.facets) {
    const unit: Unit = { ...of, facet };
    const { value: record, revision } = await ledger.record(unit);
    if (!record) return { unit, attempt: 1 };
    if (record.state === "running") return { unit, attempt: record.attempts, ts: Number(record.agent_id) };
    if (mayRunAgain(record, revision)) return { unit, attempt: record.attempts + 1 };
  }
  return null;
}

/** Whether a unit had failed before this program started: it may run again at each start. */
export const failedBefore =
  (startRevision: number) =>
  ({ state, attempts }: UnitRecord, revision: number): boolean =>
    state === "failed" && attempts < maxAttempts && revision <= startRevision;
