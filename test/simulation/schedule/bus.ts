/** The bus as schedulers know it: the ledger of the schedule, and a cortex that takes each id once and sees its run through. */
import type { Revised } from "../../../bus/schedule/schedule-ledger.ts";
import type { Group, Cursor, Unit, UnitRecord, Work } from "../../../protocol/programs/schedule.ts";
import type { UnitOutcome } from "../../../schedule/units/unit-queue.ts";
import type { Engine } from "../engine.ts";
import type { ScheduleRules } from "./rules.ts";

export type ScheduledRun = {
  work: Work;
  content: string;
  outcome: Exclude<UnitOutcome, { state: "taken" }> | null;
  endedAt: number;
};

/** Hears of each run that begins, before it is kept. @param group what was decided of its group */
type BegunListener = (run: ScheduledRun, group: Group | null) => void;

/** Entries of a bucket, each with the revision that a change of it must name. */
class Bucket {
  readonly entries = new Map<string, { value: unknown; revision: number }>();
  revision = 0;

  at<T>(key: string): Revised<T> {
    const { value = null, revision = 0 } = this.entries.get(key) ?? {};
    return { value: value as T | null, revision };
  }

  replace(key: string, value: unknown, expected: number, isCompared = true): boolean {
    if (isCompared && (this.entries.get(key)?.revision ?? 0) !== expected) return false;
    this.entries.set(key, { value, revision: ++this.revision });
    return true;
  }
}

export class ScheduleBus {
  readonly units = new Bucket();
  readonly state = new Bucket();
  readonly runs = new Map<string, ScheduledRun>();
  readonly #foreign = new Set<string>();
  readonly #engine: Engine;
  readonly #rules: ScheduleRules;
  readonly #onBegun: BegunListener;

  /** How often a run finishes. */
  readonly #reliability: number;

  constructor(engine: Engine, rules: ScheduleRules, onBegun: BegunListener) {
    this.#engine = engine;
    this.#rules = rules;
    this.#onBegun = onBegun;
    this.#reliability = engine.pick([0.4, 0.9]);
  }

  setQueue(name: string, work: Work | null, revision: number): boolean {
    return this.state.replace(`lane.${name}`, work, revision, this.#rules.queue);
  }

  setCursor(name: string, cursor: Cursor | null, revision: number): boolean {
    return this.state.replace(`mark.${name}`, cursor, revision, this.#rules.cursor);
  }

  decide(unit: Unit, group: Group): Group {
    this.units.replace(groupKey(unit), group, 0, this.#rules.decideOnce);
    return this.group(unit) as Group;
  }

  group(unit: Unit): Group | null {
    return this.units.at<Group>(groupKey(unit)).value;
  }

  record(unit: Unit): Revised<UnitRecord> {
    return this.units.at<UnitRecord>(unitKey(unit));
  }

  setRecord(unit: Unit, record: UnitRecord, revision: number): boolean {
    const isSet = this.units.replace(unitKey(unit), record, revision, this.#rules.record);
    if (isSet)
      this.#engine.say(`bus: ${unitKey(unit)} is ${record.state}, attempt ${record.attempts}, ${record.agent_id}`);
    return isSet;
  }

  /** Asks for a run: `taken` when its id is somebody else's. */
  ask(work: Work, by: string): "taken" | "known" {
    const agentId = String(work.request.ts);
    const content = JSON.stringify(work.request);
    const known = this.runs.get(agentId);
    if (known && known.content !== content) return "taken";
    if (this.#foreign.has(agentId)) return "taken";
    if (known && this.#rules.sameOnce) return "known";
    if (!known && this.#engine.chance(0.03)) {
      this.#foreign.add(agentId);
      return "taken";
    }
    this.#engine.say(`bus: ${unitKey(work.unit)} runs as ${agentId}, for ${by}`);
    const run: ScheduledRun = { work, content, outcome: null, endedAt: Number.POSITIVE_INFINITY };
    this.#onBegun(run, this.group(work.unit));
    this.runs.set(agentId, run);
    this.#engine.after(this.#engine.between(5, this.#engine.pick([50, 2000])), () => {
      run.outcome = this.#engine.chance(this.#reliability)
        ? { state: "done" }
        : { state: "failed", reason: "provider: no" };
      run.endedAt = this.#engine.now;
      this.#engine.say(`bus: ${agentId} is ${run.outcome.state}`);
    });
    return "known";
  }
}

export const groupKey = ({ day, persona, time }: Omit<Unit, "facet">) => `${day}.${persona}.${time}`;
export const unitKey = (unit: Unit) => `${groupKey(unit)}.${unit.facet ?? "-"}`;
