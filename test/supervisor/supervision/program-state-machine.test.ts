import { expect, test } from "vitest";
import { doNotRestart } from "../../../protocol/runs/exit-codes.ts";
import {
  newLife,
  type LifeState,
  type ProgramEffect,
  type ProgramInput,
  type ProgramLife,
  type UntimedInput,
} from "../../../supervisor/supervision/program-life.ts";
import { nextLife } from "../../../supervisor/supervision/program-state-machine.ts";
import {
  deathWindowMs,
  killAgainMs,
  maxDeaths,
  maxMisses,
  readyWithinMs,
  retryFailedMs,
  shortGraceMs,
  steadyMs,
} from "../../../supervisor/supervision/program-timings.ts";
import { dice, type Habits, livenessEveryMs, SimulatedProgram } from "./simulated-program.ts";

const forever = 10 ** 12;
const healthy: Habits = {
  livesMs: () => forever,
  readyAfterMs: () => 100,
  answers: () => true,
  isPolite: () => true,
  exitCode: () => 1,
};

/** A program that is wanted and has what it needs. */
function running(habits: Partial<Habits> = {}): SimulatedProgram {
  const program = new SimulatedProgram({ ...healthy, ...habits });
  program.say({ type: "needs", met: true });
  program.say({ type: "want" });
  return program;
}

const path = ({ states }: SimulatedProgram) => states.map(({ state }) => state);

test("a program that is wanted is started, is up, and is ready when it answers", () => {
  const program = running();
  program.pass(1000);
  expect(path(program)).toEqual(["starting", "up", "ready"]);
});

test("a program whose needs aren't met waits until they are, and not once it runs", () => {
  const program = new SimulatedProgram(healthy);
  program.say({ type: "want" });
  program.pass(10_000);
  expect(program.spawns).toEqual([]);
  program.say({ type: "needs", met: true });
  program.pass(1000);
  expect(program.life.state).toBe("ready");
  program.say({ type: "needs", met: false });
  program.pass(60_000);
  expect(program.life.state).toBe("ready");
  // It died meanwhile, and what it needs is away: it waits, without counting what it couldn't help.
  program.die(1);
  program.pass(60_000);
  expect(program.life).toMatchObject({ state: "down", wanted: true });
  program.say({ type: "needs", met: true });
  program.pass(1000);
  expect(program.life).toMatchObject({ state: "ready", restarts: 1, deaths: [], streak: 0 });
});

test("a program that dies is started again after 0, 1, 2, 5, 5 s", () => {
  const program = running({ livesMs: () => 200 });
  program.pass(20_000);
  const pauses = program.spawns.slice(1).map((at, index) => at - (program.spawns[index] ?? 0) - 201);
  expect(pauses.slice(0, 5)).toEqual([0, 1000, 2000, 5000, 5000]);
  expect(program.life.restarts).toBe(program.spawns.length - 1);
});

test("a program's deaths are forgotten after a minute", () => {
  const program = running();
  program.pass(1000);
  for (let death = 0; death < 3; death++) {
    program.die(1);
    program.pass(3000);
  }
  expect(program.life.streak).toBe(3);
  program.pass(steadyMs);
  expect(program.life).toMatchObject({ streak: 0, deaths: [] });
  const died = program.now;
  program.die(1);
  program.pass(1000);
  expect((program.spawns.at(-1) ?? 0) - died).toBe(0);
});

test("a program that dies ten times in two minutes has failed, says so once, and is tried again every five minutes", () => {
  const program = running({ livesMs: () => 50 });
  program.pass(deathWindowMs);
  expect(program.life.state).toBe("failed");
  expect(program.spawns).toHaveLength(maxDeaths);
  const told = () => program.effects.filter((effect) => effect.do === "announce" && effect.event === "failed").length;
  expect(told()).toBe(1);
  program.pass(3 * retryFailedMs);
  expect(program.spawns).toHaveLength(maxDeaths + 3);
  const [first = 0, second = 0] = program.spawns.slice(-2);
  expect(second - first).toBe(retryFailedMs + 51);
  expect(program.life.state).toBe("failed");
});

test("a program that had failed and stays up is like any other again", () => {
  let livesMs = 50;
  const program = running({ livesMs: () => livesMs });
  program.pass(deathWindowMs);
  livesMs = forever;
  program.pass(retryFailedMs + 2 * steadyMs);
  expect(program.life).toMatchObject({ state: "ready", hasFailed: false, deaths: [] });
});

test("a program that says not to start it again is left alone until somebody thinks otherwise", () => {
  let exitCode: number = doNotRestart;
  const program = running({ livesMs: () => 300, exitCode: () => exitCode });
  program.pass(10 * retryFailedMs);
  expect(program.life).toMatchObject({ state: "failed", reason: expect.stringContaining("125") });
  expect(program.spawns).toHaveLength(1);
  exitCode = 1;
  program.say({ type: "retry" });
  program.pass(100);
  expect(program.spawns).toHaveLength(2);
});

test("a program that lives and doesn't answer three times in a row is asked to go, then killed, then started again", () => {
  let answers = true;
  const program = running({ answers: () => answers, isPolite: () => false });
  program.pass(1000);
  answers = false;
  program.pass(2 * livenessEveryMs);
  answers = true;
  program.pass(livenessEveryMs);
  expect(program.life).toMatchObject({ state: "ready", misses: 0 });
  answers = false;
  program.pass(maxMisses * livenessEveryMs);
  expect(program.life).toMatchObject({ state: "stopping", cause: "unresponsive", reason: "didn't answer 3 times" });
  answers = true;
  program.pass(shortGraceMs + killAgainMs + 1000);
  expect(program.life).toMatchObject({ state: "ready", restarts: 1, deaths: [expect.any(Number)] });
});

test("a program that never becomes ready is started again", () => {
  const program = running({ readyAfterMs: () => forever });
  program.pass(readyWithinMs + 1000);
  expect(program.spawns).toHaveLength(2);
  expect(program.life.reason).toBe("wasn't ready within 30 s");
});

test("a stop is asked for, takes the grace, and then kills; it is over when the group is empty", () => {
  const program = running({ isPolite: () => false });
  program.pass(1000);
  program.say({ type: "unwant", kill: false });
  program.pass(program.graceMs - 1);
  expect(program.life.state).toBe("stopping");
  program.pass(100);
  expect(program.life).toMatchObject({ state: "down", wanted: false });
  expect(program.process).toBe(null);
});

test("a process left behind in the group is killed before another is started", () => {
  const program = running({ isPolite: () => false });
  program.pass(1000);
  program.die(1, true);
  expect(program.life.state).toBe("stopping");
  program.pass(500);
  expect(program.spawns).toHaveLength(1);
  program.pass(2000);
  expect(program.life.state).toBe("ready");
  expect(program.spawns).toHaveLength(2);
});

test("a stop that is forced tells it again, and the next time kills", () => {
  const program = running({ isPolite: () => false });
  program.pass(1000);
  program.say({ type: "unwant", kill: false });
  program.say({ type: "force" });
  expect(program.effects.slice(-2)).toEqual([
    { do: "signal", how: "again" },
    { do: "timer", afterMs: "shortGrace" },
  ]);
  program.say({ type: "force" });
  program.pass(20);
  expect(program.life.state).toBe("down");
});

test("a program that must make way is started again at once, and nothing is held against it", () => {
  const program = running();
  program.pass(1000);
  program.say({ type: "renew", reason: "elsewhere" });
  program.pass(200);
  expect(program.life).toMatchObject({ state: "ready", deaths: [], streak: 0, restarts: 1 });
});

test("a living process that is found is taken up; one that can't go on makes way first", () => {
  const found = new SimulatedProgram(healthy);
  found.process = { number: 0, isLeaderAlive: true, bornAt: found.now - 5000 };
  found.say({ type: "found", unusable: null, startedAt: found.now - 5000 });
  found.say({ type: "want" });
  found.say({ type: "needs", met: true });
  found.pass(1000);
  expect(path(found)).toEqual(["up", "ready"]);
  expect(found.spawns).toEqual([]);
  const other = new SimulatedProgram(healthy);
  other.process = { number: 0, isLeaderAlive: true, bornAt: other.now };
  other.say({ type: "found", unusable: "another version", startedAt: other.now });
  other.say({ type: "want" });
  other.say({ type: "needs", met: true });
  other.pass(1000);
  expect(path(other)).toEqual(["stopping", "starting", "up", "ready"]);
});

test("a former supervisor's deaths aren't forgiven: the pause goes on, and a failed program stays failed", () => {
  const at = 5_000_000;
  const memory = { deaths: [at - 3000, at - 1000], streak: 2, hasFailed: false, restarts: 2, reason: "died" };
  const pausing = nextLife(
    { ...newLife(at, { ...memory, notBefore: at + 700 }), needsMet: true },
    { type: "want", at },
  );
  expect(pausing.life.state).toBe("backingOff");
  expect(pausing.effects).toContainEqual({ do: "timer", afterMs: 700 });
  const failed = newLife(at, { ...memory, hasFailed: true, notBefore: at + 90_000 });
  expect(nextLife({ ...failed, needsMet: true }, { type: "want", at }).life.state).toBe("failed");
  const due = newLife(at, { ...memory, notBefore: at - 1 });
  expect(nextLife({ ...due, needsMet: true }, { type: "want", at }).life).toMatchObject({
    state: "starting",
    streak: 2,
  });
});

/** Every input at every reachable life. That impossible inputs don't come is shown by the simulation below, which throws at one. */
test("the invariants of a life hold after every possible input in every reachable state", () => {
  const inputs: UntimedInput[] = [
    { type: "want" },
    { type: "unwant", kill: false },
    { type: "unwant", kill: true },
    { type: "force" },
    { type: "needs", met: true },
    { type: "needs", met: false },
    { type: "found", unusable: null, startedAt: 0 },
    { type: "found", unusable: "other", startedAt: 0 },
    { type: "spawned" },
    { type: "spawnFailed", error: "ENOENT" },
    { type: "probed", answered: true },
    { type: "probed", answered: false },
    { type: "exited", end: { code: 1, signal: null } },
    { type: "exited", end: { code: doNotRestart, signal: null } },
    { type: "gone" },
    { type: "timer" },
    { type: "renew", reason: "other" },
    { type: "retry" },
  ];
  const key = (life: ProgramLife) =>
    JSON.stringify([
      life.state,
      life.wanted,
      life.needsMet,
      life.cause,
      life.step,
      life.misses,
      life.deaths.length,
      life.hasFailed,
      life.hasRefused,
      life.notBefore > 0,
    ]);
  const seen = new Map<string, ProgramLife>();
  let edge = [newLife(0)];
  let steps = 0;
  for (let depth = 1; edge.length > 0; depth++) {
    const reached: ProgramLife[] = [];
    for (const before of edge) {
      for (const input of inputs) {
        const { life, effects } = nextLife(before, { ...input, at: depth * 700 } as ProgramInput);
        steps++;
        const must = (holds: boolean, what: string) => {
          if (!holds) throw new Error(`${what}: ${JSON.stringify({ before, input, life, effects })}`);
        };
        const does = (what: ProgramEffect["do"]) => effects.some((effect) => effect.do === what);
        if (does("reportImpossible")) {
          must(life === before && effects.length === 1, "an impossible input changes the life");
          continue;
        }
        const enters = (state: LifeState) => life.state === state && before.state !== state;
        if (does("spawn")) {
          must(life.state === "starting" && life.wanted && life.needsMet, "started though it shouldn't be");
          must(!["starting", "up", "ready"].includes(before.state), "two of one kind");
        }
        if (enters("ready")) must(input.type === "probed", "ready without an answer");
        if (enters("stopping")) must(does("timer"), "a stop that nothing ends");
        if (before.state === "stopping" && life.state !== "stopping") must(input.type === "gone", "not all have gone");
        if (!life.wanted) must(life.state !== "backingOff" && life.state !== "failed", "waits, and nobody wants it");
        must(life.deaths.length <= maxDeaths, "deaths that are never forgotten");
        if (!seen.has(key(life))) {
          seen.set(key(life), life);
          reached.push(life);
        }
      }
    }
    edge = reached;
  }
  const states = new Set([...seen.values()].map(({ state }) => state));
  const all: LifeState[] = ["down", "starting", "up", "ready", "stopping", "backingOff", "failed"];
  expect([...states].toSorted()).toEqual(all.toSorted());
  expect(steps).toBeGreaterThan(1000);
});

test("whatever happens in whatever order, there is never more than one process, and in the end what is wanted is there", () => {
  const first = Number(process.env["SEED"] ?? Date.now() % 1_000_000);
  for (let seed = first; seed < first + 300; seed++) {
    const roll = dice(seed);
    let isWild = true;
    const program = new SimulatedProgram({
      livesMs: () => (isWild && roll() < 0.5 ? roll() * 90_000 : forever),
      readyAfterMs: () => (isWild && roll() < 0.1 ? forever : roll() * 500),
      answers: () => !isWild || roll() < 0.7,
      isPolite: () => roll() < 0.6,
      exitCode: () => (roll() < 0.05 ? doNotRestart : 1),
    });
    try {
      program.say({ type: "needs", met: true });
      for (let step = 0; step < 60; step++) {
        const what = roll();
        if (what < 0.25) program.say({ type: "want" });
        else if (what < 0.35) program.say({ type: "unwant", kill: roll() < 0.3 });
        else if (what < 0.45) program.say({ type: "needs", met: roll() < 0.7 });
        else if (what < 0.55) program.die(roll() < 0.5 ? null : 1, roll() < 0.3);
        else if (what < 0.6) program.say({ type: "renew", reason: "other" });
        else if (what < 0.65) program.say({ type: "force" });
        else if (what < 0.7) program.say({ type: "retry" });
        program.pass(roll() < 0.5 ? roll() * 100 : roll() * 20_000);
      }
      isWild = false;
      program.die(1); // it was born to die
      program.say({ type: "needs", met: true });
      program.say({ type: "want" });
      program.pass(program.graceMs + 10 * killAgainMs);
      program.say({ type: "retry" });
      program.pass(2 * steadyMs);
      expect(program.life).toMatchObject({ state: "ready", deaths: [], hasFailed: false });
      program.say({ type: "unwant", kill: false });
      program.pass(program.graceMs + 10 * killAgainMs);
      expect(program.life.state).toBe("down");
      expect(program.process).toBe(null);
    } catch (error) {
      throw new Error(`SEED=${seed}`, { cause: error });
    }
  }
});
