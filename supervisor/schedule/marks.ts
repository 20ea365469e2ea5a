/** The marks of the personas that are scheduled: since when each is, and how far it has come. */
import type { ScheduleStore } from "../../bus/schedule/schedule-ledger.ts";
import type { Mark } from "../../protocol/programs/schedule.ts";
import type { Scheduled } from "./scheduled.ts";

export class Marks {
  readonly #ledger: ScheduleStore;
  #known = new Map<string, Mark>();

  constructor(ledger: ScheduleStore) {
    this.#ledger = ledger;
  }

  get(name: string): Mark | undefined {
    return this.#known.get(name);
  }

  /**
   * Begins the marks of schedules that are new or have changed, and forgets those that were turned off.
   * @param isBroken whether a persona can't be read now: its mark stays until it can
   */
  async follow(on: Scheduled[], isBroken: (name: string) => boolean, now: number): Promise<void> {
    const marks = await this.#ledger.marks();
    for (const { name, schedule } of on) {
      if (marks.get(name)?.schedule === schedule) continue;
      const begun: Mark = { schedule, since: now, until: now, slot: null };
      const standing = await this.#replace(name, (mark) => (mark?.schedule === schedule ? mark : begun));
      marks.set(name, standing ?? begun);
    }
    for (const name of marks.keys()) {
      if (on.some((scheduled) => scheduled.name === name) || isBroken(name)) continue;
      await this.#replace(name, () => null);
      marks.delete(name);
    }
    this.#known = marks;
  }

  /** Says that everything due up to an instant is decided. */
  async advance(name: string, until: number): Promise<void> {
    if ((this.#known.get(name)?.until ?? until) >= until) return;
    const mark = await this.#replace(name, (mark) => mark && { ...mark, until: Math.max(mark.until, until) });
    if (mark) this.#known.set(name, mark);
  }

  async #replace(name: string, change: (mark: Mark | null) => Mark | null): Promise<Mark | null> {
    for (;;) {
      const { value, revision } = await this.#ledger.mark(name);
      const mark = change(value);
      if (mark === value || (await this.#ledger.setMark(name, mark, revision))) return mark;
    }
  }
}
