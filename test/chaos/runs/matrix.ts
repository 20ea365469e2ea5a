/** Runs cases of chaos, several side by side, each on a system that lasts for some of them. */
import { cpSync, lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Case, caseOf, type Setting } from "./cases.ts";
import { type ChaosSystem, isWorn } from "../chaos-system.ts";
import { startKeptSystem } from "../kept-system.ts";
import { type CaseOutcome, runCase } from "./run-case.ts";
import { startUpSystem } from "../up-system.ts";

export type Done = Case & CaseOutcome;

const starters: Record<Setting, () => Promise<ChaosSystem>> = { cortex: startKeptSystem, "cortex up": startUpSystem };

/** A system's store and journal grow: after so many cases another takes its place. */
const casesOfSystem = 100;

export type Matrix = {
  seed: number;
  /** Which cases. */
  numbers: Iterable<number>;
  /** How many at a time. */
  lanes: number;
  onDone: (done: Done) => void;
  /** Ends it early. What is under way doesn't count: what ends us may have ended its programs too. */
  signal?: AbortSignal;
};

export async function runMatrix({ seed, numbers, lanes, onDone, signal }: Matrix): Promise<void> {
  const left = numbers[Symbol.iterator]();
  const work = async () => {
    await using lane = new Lane();
    for (let next = left.next(); !next.done && !signal?.aborted; next = left.next()) {
      const done = await lane.run(seed, caseOf(seed, next.value));
      if (!signal?.aborted) onDone(done);
    }
  };
  await Promise.all(Array.from({ length: lanes }, work));
}

/** Runs one case after the other, with a system of each kind at hand. */
class Lane implements AsyncDisposable {
  readonly #systems = new Map<Setting, { chaos: ChaosSystem; cases: number }>();

  async run(seed: number, one: Case): Promise<Done> {
    try {
      const { chaos, cases } = this.#systems.get(one.setting) ?? {
        chaos: await starters[one.setting](),
        cases: 0,
      };
      this.#systems.set(one.setting, { chaos, cases: cases + 1 });
      const { isReached, problems } = await runCase(chaos, one);
      if (problems.length > 0) problems.push(`log and journal: ${keep(chaos, seed, one)}`);
      if (problems.length > 0 || isWorn(chaos.client.journal) || cases + 1 >= casesOfSystem)
        problems.push(...(await this.#close(one.setting)));
      return { ...one, isReached, problems };
    } catch (error) {
      return { ...one, isReached: false, problems: [`it can't be started: ${String(error)}`] };
    }
  }

  /** Ends a system, and lists its problems: it has left something behind. */
  async #close(setting: Setting): Promise<string[]> {
    const known = this.#systems.get(setting);
    this.#systems.delete(setting);
    try {
      await known?.chaos[Symbol.asyncDispose]();
      return [];
    } catch (error) {
      return [`at the end of its system: ${String(error).split("\n", 1)[0]}`];
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const setting of this.#systems.keys()) {
      const problems = await this.#close(setting);
      if (problems.length > 0) throw new Error(problems.join("\n"));
    }
  }
}

/** For whoever wants to know why: the log, and what stands in the journal by now. */
function keep({ client }: ChaosSystem, seed: number, { number }: Case): string {
  const folder = join(tmpdir(), `chaos-${seed}-${number}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "log"), client.log);
  for (const name of ["runs", ".state", ".run"])
    cpSync(join(client.journal, name), join(folder, name), { recursive: true, filter: (path) => !isPipe(path) });
  return folder;
}

/** Tests for an entry that can't be copied, or has gone by now. */
function isPipe(path: string): boolean {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  return !entry || entry.isFIFO() || entry.isSocket();
}
