/** Runs cases of the fuzzer, several side by side on one system, which is looked at after each; between rounds it is looked at closely. */
import { cpSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf } from "../../files/errors/error-message.ts";
import { Engine } from "../simulation/engine.ts";
import { entrances } from "./entrances.ts";
import { damageAgents } from "./entrances/agent-files.ts";
import type { Entrance, Reaction } from "./entrance.ts";
import { FuzzSystem } from "./fuzz-system.ts";
import { becomeQuiet, growthProblems, lookAt, memoryOf } from "./health.ts";

export type FuzzCase = { number: number; entrance: Entrance; engine: Engine };

export type FuzzDone = { number: number; entrance: string; reaction: Reaction | "wrong"; problem?: string };

export type Fuzz = {
  seed: number;
  /** Which cases. */
  numbers: Iterable<number>;
  /** How many at a time. */
  lanes: number;
  /** How many cases a system has before it is looked at closely, and started again. */
  casesOfRound: number;
  onDone: (done: FuzzDone) => void;
  /** Reports the problems of a system between two rounds, and what it holds. */
  onRound: (problems: string[], memory: Map<string, number>) => void;
  /** Ends it early. */
  signal: AbortSignal;
};

/** A case, the same one each time. */
export function fuzzCase(seed: number, number: number): FuzzCase {
  const engine = new Engine(seed * 1_000_003 + number);
  engine.random(); // neighbours begin alike
  return { number, entrance: engine.pick(entrances), engine };
}

export async function runFuzz({ seed, numbers, lanes, casesOfRound, onDone, onRound, signal }: Fuzz): Promise<void> {
  const left = numbers[Symbol.iterator]();
  for (let next = left.next(); !next.done && !signal.aborted; next = left.next())
    await runRound(roundOf(seed, next.value, left, casesOfRound), lanes, { onDone, onRound, signal });
}

/** The cases of a round, each asked for when its turn has come: by then there may be no more. */
function* roundOf(seed: number, first: number, left: Iterator<number>, count: number): Generator<FuzzCase> {
  yield fuzzCase(seed, first);
  for (let taken = 1; taken < count; taken++) {
    const next = left.next();
    if (next.done) return;
    yield fuzzCase(seed, next.value);
  }
}

async function runRound(
  cases: Iterable<FuzzCase>,
  lanes: number,
  { onDone, onRound, signal }: Pick<Fuzz, "onDone" | "onRound" | "signal">,
): Promise<void> {
  const problems: string[] = [];
  let memory = new Map<string, number>();
  try {
    await using system = await FuzzSystem.start();
    await lookAt(system, system.programs(), true);
    const before = memoryOf(system);
    const isSound = await runCases(system, cases, { lanes, onDone, signal });
    memory = memoryOf(system);
    problems.push(...growthProblems(before, memory));
    if (isSound && !signal.aborted) await lookClosely(system).catch((error: unknown) => problems.push(String(error)));
    if (!isSound || problems.length > 0) problems.push(`what the programs have logged: ${keptLogs(system)}`);
  } catch (error) {
    problems.push(String(error));
  }
  onRound(problems, memory);
}

/** Once more after a restart: what was put away isn't met again. */
async function lookClosely(system: FuzzSystem): Promise<void> {
  await becomeQuiet(system);
  await system.restart(() => damageAgents(system.journal, new Engine(1)));
  await lookAt(system, system.programs(), true);
  await becomeQuiet(system);
}

/** For whoever wants to know why. */
function keptLogs({ journal }: FuzzSystem): string {
  const folder = mkdtempSync(join(tmpdir(), "fuzz-logs-"));
  cpSync(join(journal, ".run/logs"), folder, { recursive: true });
  return folder;
}

/** Resolves with whether nothing is wrong: after the first wrong one nothing more is learned of this system. */
async function runCases(
  system: FuzzSystem,
  cases: Iterable<FuzzCase>,
  { lanes, onDone, signal }: Pick<Fuzz, "lanes" | "onDone" | "signal">,
): Promise<boolean> {
  const underWay = new Set<Promise<void>>();
  const numbers = new Set<number>();
  let isSound = true;
  for (const one of cases) {
    if (!isSound || signal.aborted) break;
    while (underWay.size > (one.entrance.isAlone ? 0 : lanes - 1)) await Promise.race(underWay);
    numbers.add(one.number);
    const beside = [...numbers].filter((number) => number !== one.number);
    const work = runCase(system, one).then((done) => {
      if (done.reaction === "wrong") isSound = false;
      if (!signal.aborted)
        onDone(
          done.problem === undefined
            ? done
            : { ...done, problem: `${done.problem} (beside ${beside.join(", ") || "none"})` },
        );
      numbers.delete(one.number);
      underWay.delete(work);
    });
    underWay.add(work);
    if (one.entrance.isAlone) await work;
  }
  await Promise.all(underWay);
  return isSound;
}

async function runCase(system: FuzzSystem, { number, entrance, engine }: FuzzCase): Promise<FuzzDone> {
  const { name, isAlone = false } = entrance;
  const before = system.programs();
  try {
    const reaction = await entrance.attack(system, engine);
    await lookAt(system, before, isAlone);
    if (isAlone) await system.reconnect();
    return { number, entrance: name, reaction };
  } catch (error) {
    return {
      number,
      entrance: name,
      reaction: "wrong",
      problem: messageOf(error),
    };
  }
}
