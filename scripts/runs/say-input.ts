/** `cortex runs input`: says something to a run in progress, and waits until its file has it. */
import { randomUUID } from "node:crypto";
import { messageBytes, mostMessageBytes } from "../../bus/events/message-size.ts";
import { findEvent } from "../../journal/runs/read-run.ts";
import { runState } from "../../journal/runs/run-files.ts";
import { readEnvironment } from "../../proc/programs/environment.ts";
import { parseOwnJson } from "../../protocol/json/parse-json.ts";
import { AgentEvent, isTerminal } from "../../protocol/runs/event.ts";
import { exitCodes } from "../../protocol/runs/exit-codes.ts";
import { type RunInput, subjects } from "../../protocol/runs/subjects.ts";
import { CommandError, parseCommandLine, usageError } from "../command/command.ts";
import { connectToJournal } from "../command/connection.ts";
import { findRun } from "./find-run.ts";

/** Milliseconds after which nobody is there who would tell the run. */
const heardMs = 10_000;

const longestId = 500;

export async function sayInput(args: string[]): Promise<number> {
  const options = { json: { type: "boolean" }, id: { type: "string" } } as const;
  const { values, positionals } = parseCommandLine(args, options, "cortex runs", 2);
  const [given, text] = positionals;
  if (!text?.trim()) throw usageError("no text", 'for example: cortex runs input 4711 "Only last month, please."');
  const { id = randomUUID() } = values;
  if (id === "" || id.length > longestId)
    throw usageError(`--id of ${id.length} characters: expected 1 to ${longestId}`, "without --id one is made");
  const env = readEnvironment();
  const run = findRun(env.journalPath, given);
  const state = runState(env.journalPath, run);
  if (state === "ended") throw usageError(`run ${run} has ended`, `see: cortex runs show ${run}`);
  await refuseTurns(env.journalPath, run);
  await using bus = await connectToJournal(env);
  const input: RunInput = { id, text };
  if (messageBytes(input) > mostMessageBytes(bus))
    throw usageError(
      `the text has ${messageBytes(input)} bytes as it is sent, and the bus takes at most ${mostMessageBytes(bus)}`,
      "save it in the journal and name the file",
    );
  const told = Promise.withResolvers<"told" | "ended" | "silent">();
  bus.connection.subscribe(subjects.events(run), {
    callback: (error, message) => {
      const event = error ? null : AgentEvent.safeParse(parseOwnJson(message.string())).data;
      if (event?.event === "input" && event["id"] === id) told.resolve("told");
      if (event && isTerminal(event)) told.resolve("ended");
    },
  });
  await bus.connection.flush();
  // Said by an earlier call of the same command: it isn't told again.
  if (await findEvent(env.journalPath, run, ["input"], (event) => event["id"] === id)) told.resolve("told");
  bus.connection.publish(subjects.input(run), JSON.stringify(input));
  await bus.connection.flush();
  // A run that waits for its start has no file, and hears it then.
  if (state === "absent") return done({ is_told: false });
  const timer = setTimeout(() => told.resolve("silent"), heardMs);
  const outcome = await told.promise;
  clearTimeout(timer);
  if (outcome === "told") return done({ is_told: true });
  throw outcome === "ended"
    ? new CommandError("ended", `run ${run} ended before it was told`, `see: cortex runs show ${run}`, exitCodes.failed)
    : new CommandError(
        "silent",
        `nobody has told run ${run} within ${heardMs / 1000} s`,
        `see: cortex status; again, said once: cortex runs input ${run} --id ${id} "…"`,
        exitCodes.failed,
      );

  function done(more: { is_told: boolean }): number {
    if (values.json) process.stdout.write(`${JSON.stringify({ ok: true, agent_id: run, id, ...more })}\n`);
    return exitCodes.done;
  }
}

/** The turn of a long-lived agent hears its agent alone. */
async function refuseTurns(journal: string, agentId: string): Promise<void> {
  const agent = (await findEvent(journal, agentId, ["request"]))?.["agent"];
  if (typeof agent === "string")
    throw usageError(
      `run ${agentId} is a turn of the agent ${agent}, which takes input from that agent only`,
      `say it to the agent: cortex chat --agent ${agent} "…"`,
    );
}
