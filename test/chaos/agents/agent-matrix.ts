/** Runs cases of chaos over agents, several side by side, each on a whole `cortex up` that lasts for some of them. */
import { AgentsSystem } from "../../agents/agents-system.ts";
import { programNames } from "../../supervisor/up-process.ts";
import { hasEnded, signalIfThere } from "../../support/journal-processes.ts";
import type { AgentCase } from "./agent-cases.ts";
import { talkProblems } from "./agent-invariants.ts";
import { Talk } from "./agent-talk.ts";
import { isWorn } from "../chaos-system.ts";
import { StopPoint } from "../stop-point.ts";
import { keepJournal } from "../../support/keep-journal.ts";
import { patienceMs } from "../../support/patience.ts";

export type AgentDone = AgentCase & { isReached: boolean; problems: string[] };

/** Milliseconds that a conversation may take, or a system to come back. */
const endMs = 90_000;
/** Milliseconds for which a problem may last: the terminal event is read before all is written. */
const wrongMs = patienceMs;

export type AgentMatrix = {
  cases: Iterable<AgentCase>;
  lanes: number;
  onDone: (done: AgentDone) => void;
  /** Ends it early. */
  signal?: AbortSignal;
};

export async function runAgentMatrix({ cases, lanes, onDone, signal }: AgentMatrix): Promise<void> {
  const left = cases[Symbol.iterator]();
  const work = async () => {
    await using lane = new Lane();
    for (let next = left.next(); !next.done && !signal?.aborted; next = left.next()) {
      const done = await lane.run(next.value);
      if (!signal?.aborted) onDone(done);
    }
  };
  await Promise.all(Array.from({ length: lanes }, work));
}

class Lane implements AsyncDisposable {
  #now: { system: AgentsSystem; stop: StopPoint } | null = null;

  async run(one: AgentCase): Promise<AgentDone> {
    const problems: string[] = [];
    const outcome = { isReached: false, problems };
    try {
      const { system, stop } = (this.#now ??= await start());
      await runCase(system, stop, one, outcome);
      if (problems.length > 0) problems.push(`the journal: ${keepJournal(system.journal)}`);
      if (problems.length > 0 || isWorn(system.journal)) await this.#close();
    } catch (error) {
      problems.push(String(error).split("\n", 1)[0] ?? "");
      if (this.#now) problems.push(`the journal: ${keepJournal(this.#now.system.journal)}`);
      await this.#close().catch((left: unknown) => problems.push(String(left).slice(0, 500)));
    }
    return { ...one, ...outcome };
  }

  async #close(): Promise<void> {
    const now = this.#now;
    this.#now = null;
    now?.stop[Symbol.dispose]();
    await now?.system[Symbol.asyncDispose]();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#close();
  }
}

async function start(): Promise<{ system: AgentsSystem; stop: StopPoint }> {
  const stop = new StopPoint();
  return { system: await AgentsSystem.start({}, {}, stop.env), stop };
}

async function runCase(
  system: AgentsSystem,
  stop: StopPoint,
  { number, point, times, victim }: AgentCase,
  outcome: { isReached: boolean; problems: string[] },
): Promise<void> {
  const isCompacted = point === "history-archived";
  if (!isCompacted) stop.set(point, times);
  const talk = await Talk.begin(system, `talk-${number}-`);
  if (isCompacted) {
    await system.until(() => talk.isOver, "it can be compacted", endMs);
    stop.set(point, times);
    // Who answers it is killed.
    void system.command("agents compact", { agent_id: talk.agent }).catch(() => {});
  }
  // The agents' service may come to its point behind all that is seen from outside.
  await system.until(() => stop.isReached(), `"${point}" is reached`, endMs).catch(() => {});
  outcome.isReached = stop.isReached();
  stop.clear();
  if (outcome.isReached) {
    const victims = victim === "all" ? ["supervisor", ...programNames] : [victim];
    const pids = victims.map((name) => system.pidOf(name)).filter((pid) => pid > 0);
    for (const pid of pids) signalIfThere(pid, "SIGKILL");
    await system.until(() => pids.every(hasEnded), "all that were killed have ended", endMs);
  }
  stop.letGo();
  await system.restart();
  if (isCompacted) await talk.goOn();
  await system.until(() => talk.isOver, "everything was said", endMs);
  let found: string[] = [];
  const isRight = () => (found = talkProblems(system, talk, isCompacted ? 3 : 2)).length === 0;
  await system.until(isRight, "nothing is wrong", wrongMs).catch(() => {});
  outcome.problems.push(...found);
}

/** A case in words, with what repeats it. */
export function toldAgentCase({ number, point, times, victim, isReached, problems }: AgentDone): string {
  const what = isReached ? `${victim} killed at` : "ended before";
  return [`npm run chaos -- --agents --case ${number}: ${what} "${point}", the ${times}. time`, ...problems].join(
    "\n  ",
  );
}
