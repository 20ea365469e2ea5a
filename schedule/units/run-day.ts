/** Runs a day when somebody asks for it: what of it hasn't been done, through the same queues and the same ledger. */
import type { Bus } from "../../bus/connection/connect.ts";
import type { ScheduleLedger } from "../../bus/schedule/schedule-ledger.ts";
import { activityOn } from "../../journal/notes/activity.ts";
import type { Persona } from "../../protocol/settings/persona.ts";
import type { Group, Unit, UnitRecord, Work } from "../../protocol/programs/schedule.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import { maxAttempts, nextOfGroup, type UnitAttempt } from "./group.ts";
import { workQueue } from "./unit-queue.ts";
import { groupOf } from "./daily-runs.ts";
import { planGroup } from "../calendar/plan.ts";
import { runWork } from "./run-work.ts";
import type { Scheduled } from "../calendar/scheduled.ts";
import { queueOf } from "./queue-names.ts";
import { risingTs, titlesIn, workFor } from "./work-for.ts";

export type RunDayParts = {
  day: string;
  /** The personas to run, in order. */
  scheduled: Scheduled[];
  /** This facet alone, whatever happened in it. */
  facet: string | undefined;
  /** Runs units again that are done, or have failed too often. */
  force: boolean;
  journal: string;
  bus: Bus;
  ledger: ScheduleLedger;
  settings: Settings;
  persona: (name: string) => Persona | undefined;
  onNobody: () => void;
  onWork: (work: Work, record: UnitRecord) => void;
  signal: AbortSignal;
};

/** The outcome of the units that were asked for. `ran`: now, and not before. */
export type RanDay = {
  units: { unit: Unit; record: UnitRecord; ran: boolean }[];
  skipped: { unit: Unit; reason: string }[];
};

/** @throws what `onNobody` throws; Error when the bus doesn't answer */
export async function runDay(parts: RunDayParts): Promise<RanDay> {
  const ran: RanDay = { units: [], skipped: [] };
  const nextTs = risingTs(Date.now);
  for (const scheduled of parts.scheduled) await runGroup(scheduled, parts, ran, nextTs);
  return ran;
}

async function runGroup(scheduled: Scheduled, parts: RunDayParts, ran: RanDay, nextTs: () => number): Promise<void> {
  const { day, facet, ledger, journal, settings, persona, force } = parts;
  const of = groupOf(scheduled.name, day);
  // Planned anew: what happened that day may have been written down since.
  const planned = planGroup(scheduled, day, activityOn(journal, day), Date.now());
  const group: Group = facet === undefined ? planned : { facets: [facet], skipped: [], ts: planned.ts };
  if (facet === undefined) await ledger.decide(of, planned);
  const before = await recordsOf(of, group, ledger);
  const isTried = new Set<string | null>();
  await workQueue(queueOf(scheduled), {
    ledger,
    now: Date.now,
    next: async () => {
      const left = { ...group, facets: group.facets.filter((name) => !isTried.has(name)) };
      const mayRunAgain = ({ state, attempts }: UnitRecord) => force || (state === "failed" && attempts < maxAttempts);
      const turn: UnitAttempt | null = await nextOfGroup(of, left, ledger, mayRunAgain);
      return turn && workFor(turn, { settings, persona, facetTitle: titlesIn(journal), nextTs });
    },
    runWork: (work) => runWork(work, { ...parts, now: Date.now }),
    onWork: (work, record) => {
      const { unit } = work;
      if (unit.day === day && unit.persona === of.persona && unit.time === of.time) isTried.add(unit.facet);
      parts.onWork(work, record);
    },
  });
  for (const name of group.facets) {
    const unit = { ...of, facet: name };
    const { value: record } = await ledger.record(unit);
    if (record) ran.units.push({ unit, record, ran: record.agent_id !== before.get(name) });
  }
  ran.skipped.push(...group.skipped.map((skip) => ({ unit: { ...of, facet: skip.facet }, reason: skip.reason })));
}

async function recordsOf(of: Unit, { facets }: Group, ledger: ScheduleLedger): Promise<Map<string | null, string>> {
  const ids = new Map<string | null, string>();
  for (const facet of facets) {
    const { value } = await ledger.record({ ...of, facet });
    if (value && value.state !== "running") ids.set(facet, value.agent_id);
  }
  return ids;
}
