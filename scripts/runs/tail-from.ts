/** `cortex runs tail ID --from LINE`: a run as the bus has it, wherever its file is. */
import type { Bus } from "../../bus/connection/connect.ts";
import { hasStoredEvents, type TailFile, tailEvents } from "../../bus/events/event-tail.ts";
import { type RunLine, RunReader } from "../../journal/runs/read-run.ts";
import { runState } from "../../journal/runs/run-files.ts";
import type { Environment } from "../../proc/programs/environment.ts";
import { exitCodes } from "../../protocol/runs/exit-codes.ts";
import { AgentId } from "../../protocol/names/names.ts";
import { usageError } from "../command/command.ts";
import { connectToJournal } from "../command/connection.ts";
import { findRun } from "./find-run.ts";

/** @throws CommandError when there is no bus, or nobody knows the run */
export async function tailFrom(
  env: Environment,
  given: string | undefined,
  from: string,
  show: (tailed: RunLine) => void | Promise<void>,
): Promise<number> {
  const first = Number(from);
  if (!Number.isInteger(first) || first < 0)
    throw usageError(`--from "${from}": expected the number of a line`, "for example: --from 0");
  const { journalPath: journal } = env;
  await using bus = await connectToJournal(env);
  const agentId = await findOnBus(journal, given, bus);
  const reader = new RunReader(journal, agentId);
  const file: TailFile = {
    lines: (start) => reader.lines(start),
    state: () => runState(journal, agentId),
  };
  for await (const news of tailEvents(bus, agentId, first, file)) {
    if (!("missing" in news)) await show(news);
    else
      process.stderr.write(
        `the bus no longer has ${linesText(news.missing)} of run ${agentId}, and its file isn't on this host\n`,
      );
  }
  return exitCodes.done;
}

/** The run that is meant. One of another host is known by its whole id alone. */
async function findOnBus(journal: string, given: string | undefined, bus: Bus): Promise<string> {
  try {
    return findRun(journal, given);
  } catch (error) {
    if (AgentId.safeParse(given).success && given !== undefined && (await hasStoredEvents(bus, given))) return given;
    throw error;
  }
}

function linesText({ from, to }: { from: number; to: number }): string {
  return to - from === 1 ? `line ${from}` : `lines ${from} to ${to - 1}`;
}
