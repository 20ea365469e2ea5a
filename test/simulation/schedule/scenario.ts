/**
 * One interleaving of the schedule: a seed decides on hosts with a scheduler each, personas, leaps of time and faults. Faults
 * stop after a while; then everything that was due has to be done, or told as missed.
 */
import type { FacetActivity } from "../../../journal/notes/activity.ts";
import type { Persona } from "../../../protocol/settings/persona.ts";
import { apart, Engine } from "../engine.ts";
import { Machine } from "../machine.ts";
import type { SimulationOutcome } from "../scenario.ts";
import { ScheduleBus } from "./bus.ts";
import { type ScheduleRules, scheduleRules } from "./rules.ts";
import { type ScheduleWorld, SimScheduler } from "./sim-scheduler.ts";
import { ScheduleViolations } from "./violations.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** Faults and leaps come until then. */
const restlessMs = 12_000;
/** By then everything has to be done. */
const endMs = 400_000;
const lookMs = 1000;

type SchedulerPlace = { machine: Machine; scheduler: SimScheduler | null; isRetired: boolean; error: number };

export const simulateSchedule = (
  seed: number,
  broken: Partial<ScheduleRules> = {},
  isTraced = false,
): Promise<SimulationOutcome> => apart(() => simulateNow(seed, broken, isTraced));

function simulateNow(seed: number, broken: Partial<ScheduleRules>, isTraced: boolean): SimulationOutcome {
  const engine = new Engine(seed, isTraced);
  const personas = personasOf(engine);
  const violations = new ScheduleViolations(personas);
  const bus = new ScheduleBus(engine, { ...scheduleRules, ...broken }, (run, group) => violations.begun(run, group));
  const world: ScheduleWorld = {
    engine,
    bus,
    violations,
    personas,
    activityOn: activityOf(engine, engine.between(0, 3)),
    lossiness: engine.pick([0, 0, 0.02, 0.08]),
  };
  /** The time that all clocks show at the beginning. */
  let offset = Date.UTC(2025, 0, 8) + engine.random() * dayMs;
  const now = () => engine.now + offset;
  const places = ["anna", "bert", "carl"].slice(0, engine.between(1, 3)).map((name): SchedulerPlace => {
    return { machine: new Machine(name, engine), scheduler: null, isRetired: false, error: 0 };
  });
  const setClocks = () => {
    for (const { machine, error } of places) machine.clockOffset = offset + error;
  };
  const boot = (place: SchedulerPlace) => {
    if (place.isRetired) return;
    engine.say(`${place.machine.name} starts`);
    place.machine.boot();
    place.scheduler = new SimScheduler(world, place.machine);
    void place.scheduler.start();
  };
  setClocks();
  const [first, ...others] = places as [SchedulerPlace, ...SchedulerPlace[]];
  engine.after(0, () => boot(first));
  // From one host to another: the old one may leave for good before the new one comes.
  const isMove = others.length > 0 && engine.chance(0.4);
  for (const place of others) engine.after(engine.random() * (isMove ? restlessMs : 100), () => boot(place));
  if (isMove)
    engine.after(engine.random() * restlessMs, () => {
      engine.say(`${first.machine.name} leaves for good`);
      first.isRetired = true;
      first.machine.kill();
    });

  let calmAt = restlessMs;
  for (let leap = engine.between(1, 3); leap > 0; leap--)
    engine.after(engine.random() * restlessMs, () => {
      offset += leapOf(engine, now());
      engine.say(`it is ${new Date(now()).toISOString()}`);
      setClocks();
    });
  for (let fault = engine.between(0, 5); fault > 0; fault--) {
    const at = engine.random() * restlessMs;
    const forMs = engine.pick([400, 4000]) * engine.random();
    calmAt = Math.max(calmAt, at + forMs);
    engine.after(at, () => {
      strike(engine, places, engine.pick(places), forMs, boot);
      setClocks();
    });
  }
  let isCalm = false;
  engine.after(calmAt, () => {
    isCalm = true;
    world.lossiness = 0;
    for (const place of places) {
      place.error = 0;
      if (place.scheduler) place.scheduler.link.lossiness = 0;
    }
    setClocks();
  });
  let nextLook = 0;
  const isDone = () => {
    if (violations.found.length > 0) return true;
    if (!isCalm || engine.now < nextLook) return false;
    nextLook = engine.now + lookMs;
    return violations.left(bus, now()) === null;
  };
  if (!engine.run(isDone, endMs)) violations.found.push(`not done after ${endMs} ms: ${violations.left(bus, now())}`);
  return { seed, violations: violations.found, trace: engine.trace ?? [], runs: bus.runs.size, endedAt: engine.now };
}

/** From a moment to a few days: to just before or after something is due, or anywhere. */
function leapOf(engine: Engine, now: number): number {
  const to = (everyMs: number) => everyMs - (now % everyMs) + engine.pick([-1500, 10, 40_000, 20 * minuteMs]);
  const ms = engine.pick([
    to(dayMs),
    to(dayMs),
    to(hourMs),
    to(15 * minuteMs),
    engine.random() * dayMs,
    engine.random() * 7 * dayMs,
  ]);
  return Math.max(0, ms);
}

const schedules: Record<string, Persona["settings"]> = {
  digest: { schedule: "daily", priority: 40 },
  letter: { schedule: "daily", multi_facet: true },
  choosy: { schedule: "daily", missed: "skip", priority: 60 },
  hourly: { schedule: "0 * * * *" },
  skipping: { schedule: "*/15 * * * *", missed: "skip" },
  within: { schedule: "0 * * * *", missed: "run-within: 90" },
};

function personasOf(engine: Engine): Persona[] {
  const names = Object.keys(schedules).filter(() => engine.chance(0.35));
  if (names.length === 0) names.push("digest");
  return names.map((name) => ({
    name,
    instruction: "Do it.",
    settings: schedules[name] ?? {},
    source: "journal",
    path: `personas/${name}.txt`,
  }));
}

/** Which facets had something happen on a day. More is written down as time goes on, so that who looks later sees others. */
const activityOf =
  (engine: Engine, facets: number) =>
  (day: string): FacetActivity[] =>
    ["garden", "harbor", "music"].slice(0, facets).map((name, index) => ({
      name,
      title: name,
      isMuted: false,
      activity: (Number(day) + index + Math.floor(engine.now / writtenMs)) % 3 === 0 ? "silent" : "active",
    }));

const writtenMs = 200;

/** Something happens to a host. What was taken away comes back. */
function strike(
  engine: Engine,
  places: SchedulerPlace[],
  place: SchedulerPlace,
  forMs: number,
  boot: (place: SchedulerPlace) => void,
): void {
  const { machine, scheduler } = place;
  const kind = engine.pick(["kill", "kill", "stop", "sleep", "cut", "blip", "server", "clock", "clock"] as const);
  engine.say(`${machine.name}: ${kind}, ${Math.round(forMs)} ms`);
  const back = (what: () => void) => engine.after(forMs, what);
  switch (kind) {
    case "kill":
      if (!machine.isUp) return;
      machine.kill();
      return back(() => boot(place));
    case "stop": {
      if (!machine.isUp || machine.isStopped) return;
      const { life } = machine;
      machine.stop();
      return back(() => machine.life === life && machine.isUp && machine.goOn());
    }
    case "sleep":
      if (machine.isAsleep) return;
      machine.sleep();
      return back(() => machine.wake());
    case "cut":
      scheduler?.link.cut();
      return back(() => scheduler?.link.heal());
    case "blip":
      scheduler?.link.cut();
      return engine.after(engine.random() * 20, () => scheduler?.link.heal());
    case "server": {
      const links = places.flatMap((one) => (one.scheduler ? [one.scheduler.link] : []));
      for (const link of links) link.cut();
      return back(() => {
        for (const link of links) link.heal();
      });
    }
    case "clock":
      place.error += engine.pick([-hourMs, -2 * minuteMs, -800, 800, 2 * minuteMs, hourMs]);
  }
}
