/** The invariants of a schedule, whatever happens, and what has to be in the end. Counts in UTC, by itself. */
import type { Group, Cursor, Unit } from "../../../protocol/programs/schedule.ts";
import type { Persona } from "../../../protocol/settings/persona.ts";
import { groupKey, type ScheduleBus, type ScheduledRun, unitKey } from "./bus.ts";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const mostAttempts = 3;
/** Further ahead no clock goes, nor so long a schedule. */
const aheadMs = 3 * 60 * minuteMs;

/** How often a persona is due, in minutes; daily ones once a day is over. */
const everyMinutes: Record<string, number> = { daily: 1440, "0 * * * *": 60, "*/15 * * * *": 15 };
export type SimSchedule = keyof typeof everyMinutes;

/** A day that is over, or an occurrence: what it is called, and when it is due. */
type Due = { name: string; day: string; time: string; at: number };

export class ScheduleViolations {
  readonly found: string[] = [];
  readonly #personas: Persona[];
  /** The runs of each unit, and the last of each queue. */
  readonly #runs = new Map<string, ScheduledRun[]>();
  readonly #queues = new Map<string, ScheduledRun>();
  /** When a scheduler last learned what was before it: what had failed by then may run again. */
  #learnedAt = Number.NEGATIVE_INFINITY;
  #lastNight = "";

  constructor(personas: Persona[]) {
    this.#personas = personas;
  }

  learned(now: number): void {
    this.#learnedAt = now;
  }

  /** @param group what was decided of its group */
  begun(run: ScheduledRun, group: Group | null): void {
    const { unit } = run.work;
    const name = unitKey(unit);
    const say = (what: string) => this.found.push(`${name} runs as ${run.work.request.ts}, and ${what}`);
    const before = this.#runs.get(name) ?? [];
    if (!group?.facets.includes(unit.facet)) say("it wasn't decided");
    if (before.some(({ outcome }) => outcome?.state === "done")) say("it was done");
    if (before.length >= mostAttempts) say(`it has run ${before.length} times`);
    if (before.some(({ endedAt }) => endedAt > this.#learnedAt)) say("nobody has started since it failed");
    const queue = queueOf(unit);
    const other = this.#queues.get(queue);
    if (other?.outcome === null) say(`${unitKey(other.work.unit)} isn't over`);
    if (unit.time === "night" && before.length === 0) {
      const turn = this.#turnOf(unit);
      if (turn < this.#lastNight) say(`its turn was before that of ${this.#lastNight}`);
      this.#lastNight = turn;
    }
    this.#runs.set(name, [...before, run]);
    this.#queues.set(queue, run);
  }

  /** In the order of the daily runs: by day, priority, name, facet. */
  #turnOf({ day, persona, facet }: Unit): string {
    const priority = this.#personas.find(({ name }) => name === persona)?.settings.priority ?? 50;
    return `${day} ${String(priority).padStart(3, "0")} ${persona} ${facet ?? ""}`;
  }

  /** Finds what is due, and neither done nor told as missed; or null. */
  left(bus: ScheduleBus, now: number): string | null {
    for (const [key, { value }] of bus.state.entries)
      if (key.startsWith("lane.") && value !== null) return `${key} has something in hand`;
    for (const { name, settings } of this.#personas) {
      const cursor = bus.state.at<Cursor>(`mark.${name}`).value;
      if (!cursor) return `${name} isn't followed`;
      let told: Set<string> | undefined;
      for (const due of duesOf(settings.schedule ?? "", cursor.since, now)) {
        const of = { day: due.day, time: due.time, persona: name };
        const group = bus.group({ ...of, facet: null });
        for (const facet of group?.facets ?? []) {
          const left = this.#leftOf({ ...of, facet }, bus);
          if (left !== null) return left;
        }
        if (group && group.facets.length + group.skipped.length === 0) return `${groupKey(of)} says nothing`;
        if (group) continue;
        // A clock that goes ahead tells of what is still to come.
        told ??= this.#told(bus, name, duesOf(settings.schedule ?? "", cursor.since, now + aheadMs));
        if (!told.has(due.name)) return `${groupKey(of)} is neither decided nor told as missed`;
      }
    }
    return null;
  }

  #leftOf(unit: Unit, bus: ScheduleBus): string | null {
    const { value } = bus.record(unit);
    if (!value || value.state === "running") return `${unitKey(unit)} is ${value?.state ?? "lost"}`;
    const runs = this.#runs.get(unitKey(unit)) ?? [];
    const isDone = runs.some(({ outcome }) => outcome?.state === "done");
    if (isDone !== (value.state === "done")) return `${unitKey(unit)} is told as ${value.state}, and its run isn't`;
    if (value.attempts !== runs.length)
      return `${unitKey(unit)} has run ${runs.length} times, and ${value.attempts} are told`;
    return null;
  }

  /** Finds what is told as missed with another: "with it N more, from …". */
  #told(bus: ScheduleBus, persona: string, dues: Due[]): Set<string> {
    const told = new Set<string>();
    for (const due of dues) {
      const from = togetherWith.exec(reasonOf(bus.group({ day: due.day, time: due.time, persona, facet: null })));
      if (!from) continue;
      const first = `${from[2]} ${from[3] ?? "night"}`;
      const range = dues.filter((one) => one.name >= first && one.at < due.at);
      if (range.length < Number(from[1]))
        this.found.push(`${due.name} of ${persona} tells of ${from[0]}, ${range.length}`);
      for (const one of range) told.add(one.name);
    }
    return told;
  }
}

const togetherWith = /with it (\d+) more, from (\d{8})(?: (\d{4}))?$/;
const reasonOf = (group: Group | null) => group?.skipped[0]?.reason ?? "";
const queueOf = ({ persona, time }: Unit) => (time === "night" ? "night" : persona);

const known = new Map<string, Due>();

/** Everything of a schedule that came due after an instant, up to another. */
function duesOf(schedule: SimSchedule, since: number, now: number): Due[] {
  const everyMs = (everyMinutes[schedule] ?? 0) * minuteMs;
  const dues: Due[] = [];
  for (let at = (Math.floor(since / everyMs) + 1) * everyMs; at <= now; at += everyMs) {
    const key = `${schedule === "daily" ? "d" : ""}${at}`;
    let due = known.get(key);
    if (!due) known.set(key, (due = dueAt(at, schedule === "daily")));
    dues.push(due);
  }
  return dues;
}

function dueAt(at: number, isDaily: boolean): Due {
  const text = new Date(isDaily ? at - dayMs : at).toISOString();
  const day = text.slice(0, 10).replaceAll("-", "");
  const time = isDaily ? "night" : text.slice(11, 16).replace(":", "");
  return { name: `${day} ${time}`, day, time, at };
}
