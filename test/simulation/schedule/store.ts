/** The schedule's ledger as a scheduler sees it: each step is asked for over its link. */
import type { Revised, ScheduleStore } from "../../../bus/schedule/schedule-ledger.ts";
import type { Group, Cursor, Unit, UnitRecord, Work } from "../../../protocol/programs/schedule.ts";
import type { Link } from "../link.ts";
import type { ScheduleBus } from "./bus.ts";

export class SimScheduleStore implements ScheduleStore {
  readonly #link: Link;
  readonly #bus: ScheduleBus;
  readonly #onRevision: () => void;

  /** @param onRevision called when a scheduler learns what was before it */
  constructor(link: Link, bus: ScheduleBus, onRevision: () => void) {
    this.#link = link;
    this.#bus = bus;
    this.#onRevision = onRevision;
  }

  queue(name: string): Promise<Revised<Work>> {
    return this.#link.call(() => this.#bus.state.at<Work>(`lane.${name}`));
  }

  setQueue(name: string, work: Work | null, revision: number): Promise<boolean> {
    return this.#link.call(() => this.#bus.setQueue(name, work, revision));
  }

  queuesInHand(): Promise<string[]> {
    return this.#link.call(() => this.#named("lane.").flatMap(([name, value]) => (value === null ? [] : [name])));
  }

  cursor(persona: string): Promise<Revised<Cursor>> {
    return this.#link.call(() => this.#bus.state.at<Cursor>(`mark.${persona}`));
  }

  cursors(): Promise<Map<string, Cursor>> {
    return this.#link.call(
      () => new Map(this.#named("mark.").flatMap(([name, value]) => (value === null ? [] : [[name, value as Cursor]]))),
    );
  }

  setCursor(persona: string, cursor: Cursor | null, revision: number): Promise<boolean> {
    return this.#link.call(() => this.#bus.setCursor(persona, cursor, revision));
  }

  sawDay(day: string, now: number): Promise<number> {
    return this.#link.call(() => {
      this.#bus.units.replace(day, now, 0);
      return this.#bus.units.at<number>(day).value ?? now;
    });
  }

  group(unit: Unit): Promise<Group | null> {
    return this.#link.call(() => this.#bus.group(unit));
  }

  decide(unit: Unit, group: Group): Promise<Group> {
    return this.#link.call(() => this.#bus.decide(unit, group));
  }

  record(unit: Unit): Promise<Revised<UnitRecord>> {
    return this.#link.call(() => this.#bus.record(unit));
  }

  setRecord(unit: Unit, record: UnitRecord, revision: number): Promise<boolean> {
    return this.#link.call(() => this.#bus.setRecord(unit, record, revision));
  }

  revision(): Promise<number> {
    return this.#link.call(() => {
      this.#onRevision();
      return this.#bus.units.revision;
    });
  }

  #named(prefix: string): [string, unknown][] {
    return [...this.#bus.state.entries].flatMap(([key, { value }]) =>
      key.startsWith(prefix) ? [[key.slice(prefix.length), value] as [string, unknown]] : [],
    );
  }
}
