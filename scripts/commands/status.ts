/** `cortex status`: what runs at this moment. Reads files and asks the system; needs no bus. */
import { readLiveStatus } from "../../journal/live-status.ts";
import { attemptFolder } from "../../journal/run-folder.ts";
import { readSupervised } from "../../journal/supervised.ts";
import { readEnvironment } from "../../proc/environment.ts";
import { isAlive } from "../../proc/identity.ts";
import { agentOf } from "../../proc/run.ts";
import { exitCodes } from "../../protocol/exit-codes.ts";
import { type Command, noBusError, parseCommandLine } from "../command.ts";
import { columns } from "../columns.ts";
import { duration, shorten } from "../text.ts";

const help = `
Usage: cortex status [--json]

Shows the programs, the runs in progress, how many wait, and how many may run at once.
`;

export const command: Command = {
  help,
  run: async (args) => {
    const { values } = parseCommandLine(args, { json: { type: "boolean" } }, "cortex status");
    const { journalPath } = readEnvironment();
    const status = statusOf(journalPath);
    process.stdout.write(values.json ? `${JSON.stringify(status)}\n` : `${show(status)}\n`);
    return exitCodes.done;
  },
};

/** @throws CommandError when nothing was ever started, or nothing of it lives */
function statusOf(journal: string) {
  const supervised = readSupervised(journal);
  const programs = (supervised?.programs ?? []).map(({ name, state, identity, restarts, since }) => {
    const lives = identity !== null && isAlive(identity);
    // A program that has exited is never ready, whatever was last written down.
    const now = lives || state === "stopped" || state === "failed" ? state : "stopped";
    return { name, state: now, pid: lives ? identity.pid : null, restarts, since: new Date(since).toISOString() };
  });
  if (!programs.some(({ pid }) => pid !== null)) throw noBusError(`nothing runs on ${journal}`);
  const live = readLiveStatus(journal);
  const runs = (live?.running ?? []).map(({ agent_id, persona, backend, state, attempt, since }) => {
    const pid = agentOf(attemptFolder(journal, agent_id, attempt))?.pid ?? null;
    const elapsed_seconds = Math.round((Date.now() - since) / 100) / 10;
    return { agent_id, persona, backend, state, pid, elapsed_seconds };
  });
  return { programs, runs, queued: live?.waiting.length ?? 0, capacity: live?.capacity ?? 0 };
}

function show({ programs, runs, queued, capacity }: ReturnType<typeof statusOf>): string {
  const programRows = programs.map(({ name, state, pid, restarts, since }) => [
    name,
    state,
    String(pid ?? "-"),
    `${restarts} restarts`,
    `since ${since}`,
  ]);
  const runRows = runs.map(({ agent_id, persona, backend, state, elapsed_seconds }) => [
    agent_id,
    shorten(persona, 24),
    backend,
    state,
    duration(elapsed_seconds * 1000),
  ]);
  const summary = `${runs.length} of ${capacity} running, ${queued} waiting`;
  return [columns(programRows), "", summary, ...(runRows.length > 0 ? [columns(runRows)] : [])].join("\n");
}
