/** A life of the program `schedule` in the simulation: the real scheduler, and around it what supervisor/schedule/main.ts does. */
import type { FacetActivity } from "../../../journal/notes/activity.ts";
import type { Persona } from "../../../protocol/settings/persona.ts";
import type { Work } from "../../../protocol/programs/schedule.ts";
import type { UnitOutcome } from "../../../schedule/units/unit-queue.ts";
import { Scheduler } from "../../../supervisor/schedule/scheduler.ts";
import { risingTs, workFor } from "../../../schedule/units/work-for.ts";
import type { Engine } from "../engine.ts";
import { Link } from "../link.ts";
import type { Machine } from "../machine.ts";
import type { ScheduleBus } from "./bus.ts";
import { SimScheduleStore } from "./store.ts";
import type { ScheduleViolations } from "./violations.ts";

export type ScheduleWorld = {
  engine: Engine;
  bus: ScheduleBus;
  violations: ScheduleViolations;
  personas: Persona[];
  activityOn: (day: string) => FacetActivity[];
  lossiness: number;
};

/** A tick of 15 s, in the proportions of a short life. */
const tickMs = 2000;
const againMs = 300;
const lookMs = 250;

export class SimScheduler {
  readonly link: Link;
  readonly #world: ScheduleWorld;
  readonly #machine: Machine;

  constructor(world: ScheduleWorld, machine: Machine) {
    this.#world = world;
    this.#machine = machine;
    this.link = new Link(world.engine, machine, world.lossiness);
  }

  async start(): Promise<void> {
    const { engine, bus, violations, personas, activityOn } = this.#world;
    const now = () => Math.floor(this.#machine.wall);
    const persona = (name: string) => personas.find((one) => one.name === name);
    const nextTs = risingTs(now);
    const parts = {
      timeZone: "UTC",
      ledger: new SimScheduleStore(this.link, bus, () => violations.learned(engine.now)),
      log: { info: () => {}, warn: () => {} },
      settings: () => ({}),
      personas: { all: () => personas, get: persona, problems: () => [] },
      activityOn,
      workFor: (turn: Parameters<typeof workFor>[0]) =>
        workFor(turn, { settings: {}, persona, facetTitle: (name) => name, nextTs }),
      runWork: (work: Work) => this.#runWork(work, now),
      now,
      signal: new AbortController().signal,
    };
    const scheduler = await this.#insist(() => Scheduler.start(parts));
    // One whose first look fails ends, and is started again.
    await this.#insist(() => scheduler.tick());
    const tick = () => void scheduler.tick().catch(() => {});
    this.link.onReconnect(tick);
    const again = () => {
      this.#machine.after(tickMs * (0.9 + 0.2 * engine.random()), () => {
        tick();
        again();
      });
    };
    again();
  }

  async #runWork(work: Work, now: () => number): Promise<UnitOutcome> {
    const { bus } = this.#world;
    const agentId = String(work.request.ts);
    for (;;) {
      const answer = await this.link.call(() => bus.ask(work, this.#machine.name));
      if (answer === "taken") return { state: "taken", ts: Math.max(now(), Number(work.request.ts) + 1) };
      const outcome = await this.link.call(() => bus.runs.get(agentId)?.outcome ?? null);
      if (outcome) return outcome;
      await this.#pause(lookMs);
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#machine.after(ms, resolve));
  }

  async #insist<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask();
      } catch {
        await this.#pause(againMs);
      }
    }
  }
}
