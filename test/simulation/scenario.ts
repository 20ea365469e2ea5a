/** One interleaving: a seed decides on hosts, requests and faults. Faults stop after a while; then everything has to be done. */
import type { Request } from "../../protocol/runs/request/request.ts";
import { SimBus } from "./bus.ts";
import { apart, Engine } from "./engine.ts";
import { SimHost } from "./sim-host.ts";
import { type Rules, rules as allRules } from "./rules.ts";
import { SimCortex, type World } from "./ports/sim-cortex.ts";
import { logInto } from "./ports/sim-log.ts";
import { epochMs, times } from "./times.ts";
import { Violations } from "./violations.ts";

export type SimulationOutcome = { seed: number; violations: string[]; trace: string[]; runs: number; endedAt: number };

export const simulate = (seed: number, broken: Partial<Rules> = {}, isTraced = false): Promise<SimulationOutcome> =>
  apart(() => simulateNow(seed, broken, isTraced));

function simulateNow(seed: number, broken: Partial<Rules>, isTraced: boolean): SimulationOutcome {
  const engine = new Engine(seed, isTraced);
  const violations = new Violations();
  const bus = new SimBus(engine, violations);
  const hosts = ["anna", "bert", "carl"]
    .slice(0, engine.between(1, 3))
    .map((name) => new SimHost(name, engine, violations));
  for (const host of hosts)
    host.others = (agentId) => hosts.filter((one) => one !== host && one.hasOrphan(agentId)).map(({ name }) => name);
  const mostOfAll = engine.chance(0.3) ? engine.between(1, 2) : undefined;
  violations.mostOfAll = mostOfAll ?? Number.POSITIVE_INFINITY;
  violations.hosts = hosts;
  const world: World = {
    engine,
    bus,
    violations,
    rules: { ...allRules, ...broken },
    capacity: engine.between(1, 3),
    mostOfAll,
    lossiness: engine.pick([0, 0, 0.02, 0.08]),
    log: logInto(engine, violations),
  };
  const lives = new Map<SimHost, SimCortex>();
  const boot = (host: SimHost) => {
    host.boot();
    engine.say(`${host.name} starts`);
    const cortex = new SimCortex(world, host);
    lives.set(host, cortex);
    void cortex.start();
  };
  const end = (host: SimHost) => {
    const cortex = lives.get(host);
    if (cortex) bus.listeners.delete(cortex.link);
    host.kill();
  };
  for (const host of hosts) engine.after(engine.between(0, 50), () => boot(host));
  const asked = ask(engine, bus, lives);
  let calmAt = lastAsked;
  for (let fault = engine.between(0, 5); fault > 0; fault--) {
    const at = engine.random() * times.faultsMs;
    const forMs = engine.pick([400, 4000, 12_000]) * engine.random();
    calmAt = Math.max(calmAt, at + forMs);
    engine.after(at, () => strike(engine, engine.pick(hosts), forMs, lives, boot, end));
  }
  engine.after(calmAt, () => {
    for (const { link } of lives.values()) link.lossiness = 0;
    world.lossiness = 0;
  });
  let nextLook = calmAt;
  const isDone = () => {
    if (violations.found.length > 0) return true;
    if (engine.now < nextLook) return false;
    nextLook = engine.now + lookMs;
    return bus.requests.length >= asked && violations.left(bus, hosts) === null;
  };
  const done = engine.run(isDone, times.endMs);
  if (!done) violations.found.push(`not done after ${times.endMs} ms: ${violations.left(bus, hosts)}`);
  else if (violations.found.length === 0) {
    engine.run(() => false, engine.now + 3 * times.slowestMs);
    const isQuiet = () => violations.left(bus, hosts) === null && violations.believed(openOf(lives)) === null;
    engine.run(isQuiet, engine.now + afterMs);
    const left = violations.left(bus, hosts);
    if (left !== null) violations.found.push(`after it was done: ${left}`);
    violations.check(bus, hosts, openOf(lives));
  }
  return {
    seed,
    violations: violations.found,
    trace: engine.trace ?? [],
    runs: violations.ids.size,
    endedAt: engine.now,
  };
}

/** Lists what each worker believes to be open. */
const openOf = (lives: Map<SimHost, SimCortex>) =>
  [...lives].filter(([{ isUp }]) => isUp).map(([, cortex]) => cortex.claims.open);

/** Requests come by then, and once more, some of them. */
const lastAsked = 4000;
/** Milliseconds after which it is looked again whether everything is done. */
const lookMs = 100;
/** Milliseconds after which what was still under way has arrived. */
const afterMs = 3 * times.leaseMs;

/** Requests, some of them twice, some of them cancelled. Returns how many messages there will be at least. */
function ask(engine: Engine, bus: SimBus, lives: Map<SimHost, SimCortex>): number {
  const count = engine.between(1, 4);
  for (let number = 1; number <= count; number++) {
    const ts = epochMs - count + number;
    const agentId = String(ts);
    const priority = engine.pick([10, 50]);
    const words = Array.from({ length: engine.between(0, engine.pick([3, 3, 3, 12])) }, () => "text");
    const request: Request = {
      ts,
      priority,
      // What its agent says, word for word; one that says nothing ends without a word.
      prompt: [...words, engine.chance(0.9) ? "finish" : "-"].join(" "),
      ...(engine.chance(0.4) ? { handoff: { prompt: "text finish" } } : {}),
      ...(engine.chance(0.5) ? { save: `${agentId}.md` } : {}),
    };
    const say = () => bus.storeRequest(request, engine.chance(0.5) ? null : agentId);
    const at = engine.random() * 2000;
    engine.after(at, say);
    if (engine.chance(0.3)) engine.after(at + engine.random() * (lastAsked - at), say);
    if (engine.chance(0.2))
      engine.after(at + engine.random() * 4000, () => {
        engine.say(`${agentId} is cancelled`);
        for (const cortex of lives.values()) cortex.link.toWorker(() => cortex.cancel(agentId));
      });
  }
  return count;
}

/** Something happens to a host. What was taken away comes back. */
function strike(
  engine: Engine,
  host: SimHost,
  forMs: number,
  lives: Map<SimHost, SimCortex>,
  boot: (host: SimHost) => void,
  end: (host: SimHost) => void,
): void {
  const link = lives.get(host)?.link;
  const kind = engine.pick([
    "kill",
    "kill",
    "stop",
    "sleep",
    "cut",
    "cut",
    "blip",
    "server",
    "agent",
    "clock",
  ] as const);
  engine.say(`${host.name}: ${kind}, ${Math.round(forMs)} ms`);
  const back = (what: () => void) =>
    engine.after(forMs, () => {
      engine.say(`${host.name}: ${kind} is over`);
      what();
    });
  switch (kind) {
    case "kill":
      if (!host.isUp) return;
      end(host);
      return back(() => boot(host));
    case "stop": {
      if (!host.isUp || host.isStopped) return;
      const { life } = host;
      host.stop();
      return back(() => host.life === life && host.isUp && host.goOn());
    }
    case "sleep":
      if (host.isAsleep) return;
      host.sleep();
      return back(() => host.wake());
    case "cut":
      link?.cut();
      host.lastAway = engine.now + forMs;
      return back(() => link?.heal());
    case "blip":
      link?.cut();
      host.lastAway = engine.now;
      return engine.after(engine.random() * 20, () => link?.heal());
    case "server": {
      const links = [...lives.values()].map((cortex) => cortex.link);
      for (const each of links) each.cut();
      for (const each of lives.keys()) each.lastAway = engine.now + forMs;
      return back(() => {
        for (const each of links) each.heal();
      });
    }
    case "agent":
      for (const [agentId, { attempts }] of host.runs)
        for (const number of attempts.keys()) host.endAgent(agentId, number, null);
      return;
    case "clock":
      host.clockOffset -= engine.pick([800, 3_600_000]);
  }
}
