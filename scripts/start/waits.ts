/** The programs and runs that a start or a stop waits for, printed on stderr while it lasts. */
import { readLiveStatus } from "../../journal/programs/live-status.ts";
import type { ProgramStatus } from "../../journal/programs/supervised.ts";

/** Nothing is said of what is over sooner than this. */
const tellEveryMs = 2000;

/** Says it now and then, and only when it has changed, until it is disposed of. */
export function tellWaits(wait: () => string | null): Disposable {
  let last: string | null = null;
  const timer = setInterval(() => {
    const text = wait();
    if (text !== null && text !== last) process.stderr.write(`${text}\n`);
    last = text;
  }, tellEveryMs);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** The programs that a start waits for; null: none. */
export function startWaits(programs: readonly ProgramStatus[]): string | null {
  return waitingFor(programs.filter(({ state }) => state !== "ready" && state !== "failed").map(withReason));
}

/** The programs that a stop waits for, cortex with its runs; null: none. */
export function stopWaits(journal: string, programs: readonly ProgramStatus[]): string | null {
  return waitingFor(
    programs
      .filter(({ state }) => state === "stopping")
      .map((program) => (program.name === "cortex" ? `cortex${runsOf(journal)}` : program.name)),
  );
}

function runsOf(journal: string): string {
  const count = readLiveStatus(journal)?.running.length ?? 0;
  return count === 0 ? "" : ` (${count === 1 ? "a run" : `${count} runs`} may finish first)`;
}

const withReason = ({ name, reason }: ProgramStatus) => (reason === null ? name : `${name} (${reason})`);
const waitingFor = (names: string[]) => (names.length === 0 ? null : `waiting for ${names.join(", ")}`);
