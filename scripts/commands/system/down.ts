/** `cortex down`: stops what runs on the journal, as Ctrl-C does where `cortex up` runs. */
import { setTimeout as delay } from "node:timers/promises";
import { JournalLock } from "../../../journal/access/lock.ts";
import { logFile } from "../../../journal/logs/program-logs.ts";
import { ProgramLog } from "../../../journal/logs/program-logs-writer.ts";
import { readSupervised } from "../../../journal/programs/supervised.ts";
import { type Environment, readEnvironment } from "../../../proc/programs/environment.ts";
import { type ProcessIdentity, isAlive } from "../../../proc/processes/identity.ts";
import { logOf } from "../../../proc/logging/log.ts";
import { exitCodes } from "../../../protocol/runs/exit-codes.ts";
import { System } from "../../../supervisor/up.ts";
import { type Command, CommandError, parseCommandLine } from "../../command/command.ts";
import { stopWaits, tellWaits } from "../../start/waits.ts";

const help = `
Usage: cortex down [--json]

Stops the programs on the journal of JOURNAL_PATH: no new request is started, runs may finish for stop_grace_seconds (30),
and the programs end, cortex up last. A stopped run is resumed at the next start. Programs that a killed cortex up has
left behind are stopped as well. Ctrl-C stops runs at once.

Exit codes: 0 nothing is running, even if nothing was; 1 something didn't stop.
`;

/** A holder of the lock writes down who it is at once. */
const writesItselfWithinMs = 5000;
/** Beyond what the programs may take: writing, closing, leaving. */
const leaveMs = 10_000;
/** Where a supervisor doesn't say how long a stop may take. */
const usualStopMs = 120_000;

type Stopped = { stopped: boolean; pid: number | null; programs: string[] };
const nothing: Stopped = { stopped: false, pid: null, programs: [] };

export const command: Command = {
  help,
  run: async (args) => {
    const { values } = parseCommandLine(args, { json: { type: "boolean" } }, "cortex down", 0);
    const env = readEnvironment();
    const { journalPath } = env;
    // Where no supervisor has ever written down who it is, or that of a copy's original has, nothing is touched.
    const done = readSupervised(journalPath) ? await stopAll(env) : nothing;
    if (values.json) process.stdout.write(`${JSON.stringify({ ok: true, ...done })}\n`);
    else process.stdout.write(done.stopped ? `stopped, on ${journalPath}\n` : `nothing runs on ${journalPath}\n`);
    return exitCodes.done;
  },
};

async function stopAll(env: Environment): Promise<Stopped> {
  const lock = JournalLock.acquire(env.journalPath);
  if (!lock) return stopSupervisor(env.journalPath, await holderOf(env.journalPath));
  try {
    return await stopLeft(env, lock);
  } finally {
    lock[Symbol.dispose]();
  }
}

/** No supervisor lives: what one has left that was killed. */
async function stopLeft(env: Environment, lock: JournalLock): Promise<Stopped> {
  const { journalPath: journal } = env;
  const living = (readSupervised(journal)?.programs ?? []).filter(({ identity }) => identity && isAlive(identity));
  const programs = living.map(({ name }) => name);
  if (living.length === 0) return nothing;
  using file = new ProgramLog(logFile(journal, "supervisor"), "supervisor");
  const log = logOf("supervisor", file, true);
  // Nothing is started, so that it doesn't matter which nats-server that would be.
  const parts = { env, natsServer: "nats-server", isWorker: false, processEnv: process.env, lock, log };
  const system = new System({ ...parts, onEvent: () => {} });
  using _waits = tellWaits(() => stopWaits(journal, system.programs));
  process.on("SIGINT", () => system.force());
  await system.stopFound();
  return { stopped: true, pid: null, programs };
}

/** Waits for the process that holds the lock to have written down its identity. */
async function holderOf(journal: string): Promise<ProcessIdentity> {
  for (const deadline = performance.now() + writesItselfWithinMs; performance.now() < deadline; await delay(20)) {
    const holder = readSupervised(journal)?.supervisor;
    if (holder && isAlive(holder)) return holder;
  }
  throw new CommandError(
    "refused",
    `another program holds ${journal}, or its store by another path, and doesn't say who it is`,
    "see who: fuser .run/up.lock .state/up.lock, in the journal",
    exitCodes.refused,
  );
}

async function stopSupervisor(journal: string, supervisor: ProcessIdentity): Promise<Stopped> {
  const { pid } = supervisor;
  const read = () => readSupervised(journal);
  const programs = (read()?.programs ?? []).filter(({ identity }) => identity !== null).map(({ name }) => name);
  const withinMs = (read()?.stops_within_ms ?? usualStopMs) + leaveMs;
  const ask = () => {
    if (isAlive(supervisor)) process.kill(pid, "SIGTERM");
  };
  process.stderr.write(`stopping cortex up, pid ${pid}; Ctrl-C: at once\n`);
  ask();
  process.on("SIGINT", ask);
  const waits = () => stopWaits(journal, read()?.programs ?? []);
  using _waits = tellWaits(waits);
  for (const deadline = performance.now() + withinMs; isAlive(supervisor); await delay(50)) {
    if (performance.now() < deadline) continue;
    const message = `pid ${pid} hasn't stopped within ${Math.round(withinMs / 1000)} s: ${waits() ?? "nobody knows what it waits for"}`;
    throw new CommandError("failed", message, `see: cortex logs; end it: kill -9 ${pid}, then: cortex down`, 1);
  }
  return { stopped: true, pid, programs };
}
