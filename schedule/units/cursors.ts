/** The cursors of the scheduled personas: since when each schedule is on, and how far it was followed. */
import type { ScheduleStore } from "../../bus/schedule/schedule-ledger.ts";
import type { Cursor } from "../../protocol/programs/schedule.ts";
import type { Scheduled } from "../calendar/scheduled.ts";

export class Cursors {
  readonly #ledger: ScheduleStore;
  #known = new Map<string, Cursor>();

  constructor(ledger: ScheduleStore) {
    this.#ledger = ledger;
  }

  get(name: string): Cursor | undefined {
    return this.#known.get(name);
  }

  /**
   * Begins the cursors of schedules that are new or have changed, and forgets those that were turned off.
   * @param isBroken whether a persona can't be read now: its cursor stays until it can
   */
  async follow(on: Scheduled[], isBroken: (name: string) => boolean, now: number): Promise<void> {
    const cursors = await this.#ledger.cursors();
    for (const { name, schedule } of on) {
      if (cursors.get(name)?.schedule === schedule) continue;
      const begun: Cursor = { schedule, since: now, until: now, slot: null };
      const standing = await this.#replace(name, (cursor) => (cursor?.schedule === schedule ? cursor : begun));
      cursors.set(name, standing ?? begun);
    }
    for (const name of cursors.keys()) {
      if (on.some((scheduled) => scheduled.name === name) || isBroken(name)) continue;
      await this.#replace(name, () => null);
      cursors.delete(name);
    }
    this.#known = cursors;
  }

  /** Says that everything due up to an instant is decided. */
  async advance(name: string, until: number): Promise<void> {
    if ((this.#known.get(name)?.until ?? until) >= until) return;
    const cursor = await this.#replace(name, (cursor) => cursor && { ...cursor, until: Math.max(cursor.until, until) });
    if (cursor) this.#known.set(name, cursor);
  }

  async #replace(name: string, change: (cursor: Cursor | null) => Cursor | null): Promise<Cursor | null> {
    for (;;) {
      const { value, revision } = await this.#ledger.cursor(name);
      const cursor = change(value);
      if (cursor === value || (await this.#ledger.setCursor(name, cursor, revision))) return cursor;
    }
  }
}
