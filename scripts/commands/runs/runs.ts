/** `cortex runs`: lists, shows, follows and steers runs. */
import { type RunSummary, summaryOf } from "../../../journal/runs/list-runs.ts";
import { type RunLine, RunReader } from "../../../journal/runs/read-run.ts";
import { runFile, runState } from "../../../journal/runs/run-files.ts";
import { tailRun } from "../../../journal/runs/tail-run.ts";
import { readEnvironment } from "../../../proc/programs/environment.ts";
import type { AgentEvent } from "../../../protocol/runs/event.ts";
import { exitCodes } from "../../../protocol/runs/exit-codes.ts";
import { subjects } from "../../../protocol/runs/subjects.ts";
import { type Command, CommandError, parseCommandLine, unknownName, usageError } from "../../command/command.ts";
import { findRun } from "../../runs/find-run.ts";
import { asItIs, queuedRuns } from "../../runs/listed/runs-now.ts";
import { columns } from "../../command/layout/columns.ts";
import { writeOut } from "../../command/layout/output.ts";
import { shorten } from "../../command/layout/text.ts";
import { showRaw } from "../../../proc/logging/terminal.ts";

const help = `
Usage: cortex runs list [-n COUNT] [--agent ID] [--text WORDS] [--state STATES] [--persona NAME] [--model NAME]
                        [--backend NAME] [--schedule NAME] [--day YYYYMMDD [--day-to YYYYMMDD]] [--json]
       cortex runs show ID [--json] [--raw]
       cortex runs prompt ID [--json]
       cortex runs share ID [--output FILE]
       cortex runs tail ID [--from LINE] [--json] [--raw]
       cortex runs cancel ID [--json]
       cortex runs input ID TEXT [--id INPUT] [--json]
       cortex runs close ID [--json]
       cortex runs put-away ID [--json]
       cortex runs prune [--older-than DAYS] [--dry-run] [--json]
       cortex runs dead list|retry|drop [NUMBER] [--json]

  --raw    whole events, byte for byte, including control sequences, which a terminal obeys

Some digits from the beginning or the end of an ID are enough, if no other run has them.

  list     the newest runs (50, or -n); with --agent those of a long-lived agent and its tasks, or of a task.
           --text: words of the prompt or the result, the last as its beginning. --state, with commas between:
           queued, running, waiting (for an answer), finished, failed, cancelled, orphaned. --schedule: the persona
           whose schedule asked. --day: asked for on that day in your time zone (CORTEX_TZ), up to --day-to
  show     one run and its events
  prompt   what its model was sent first: instruction, conversation before, prompt; secrets are ***
  share    one HTML file of a run that has ended, for others: it loads and runs nothing; secrets, keys, home folders and
           this machine's name are replaced. Look through it before you give it away
  tail     its events until it has ended; with --from LINE the bus's events from that line on,
           of any host's run (0: all)
  cancel   stop a run
  input    send a message to a run in progress; it ends when the run's file has it. Its id is given by --id, so that a
           repeated command says it once, or made: the events input and input_taken (the model has heard it) have it
  close    end an "orphaned" run, whose file is in progress though no cortex has it; it ends with the error "interrupted"
  put-away  let a failed run go from the page's first view; it stays in the list
  prune    compress and delete old files by "retention" in cortex.json, or delete those older than DAYS;
           never a run that is in progress, isn't finalized, or is continued by a run that is kept. With runs go
           stored files that have been unused for so long and that nothing names
  dead     requests that were accepted and couldn't be delivered: list them, send one again, drop one
`;

export const command: Command = {
  help,
  run: async ([name, ...args]) => {
    const actions: Record<string, (args: string[]) => Promise<number>> = {
      list: async (rest) => (await import("../../runs/listed/list-runs.ts")).listAction(rest),
      show,
      prompt: async (rest) => (await import("../../runs/show-prompt.ts")).showPrompt(rest),
      share: async (rest) => (await import("../../runs/share-run.ts")).shareCommand(rest),
      tail,
      cancel,
      input: async (rest) => (await import("../../runs/say-input.ts")).sayInput(rest),
      close: async (rest) => (await import("../../runs/close-run.ts")).closeRun(rest),
      "put-away": async (rest) => (await import("../../runs/put-away-run.ts")).putAwayRun(rest),
      prune: async (rest) => (await import("../../runs/prune-runs.ts")).pruneRuns(rest),
      dead: async (rest) => (await import("../../runs/runs-dead.ts")).dead(rest),
    };
    const action = name !== undefined && Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (!action) throw unknownName("action", name, Object.keys(actions), "cortex runs");
    return action(args);
  },
};

const jsonOption = { json: { type: "boolean" } } as const;
const eventOptions = { ...jsonOption, raw: { type: "boolean" } } as const;

async function show(args: string[]): Promise<number> {
  const { values, positionals } = parseCommandLine(args, eventOptions, "cortex runs", 1);
  if (values.raw) showRaw();
  const { journalPath } = readEnvironment();
  const agentId = findRun(journalPath, positionals[0]);
  const path = runFile(journalPath, agentId);
  const queued = queuedRuns(journalPath).find((waiting) => waiting.agent_id === agentId);
  const isActive = runState(journalPath, agentId) === "active";
  const summary = path === null ? queued : await summaryOf({ path, agentId, isActive });
  const run = summary && asItIs(journalPath, summary);
  if (!run) throw usageError(`no run ${agentId}`, "see: cortex runs list");
  if (run.damaged !== undefined)
    throw new CommandError("damaged", run.damaged, "see: cortex audit verify --all", exitCodes.failed);
  const events = new RunReader(journalPath, agentId).events();
  if (values.json) await writeDocument(run, events);
  else await writeText(run, path, events, values.raw);
  return exitCodes.done;
}

/** One document, whose events are written as they are read. */
async function writeDocument(run: RunSummary, events: AsyncIterable<AgentEvent>): Promise<void> {
  let before = `{"run":${JSON.stringify(run)},"events":[`;
  for await (const event of events) {
    await writeOut(`${before}${JSON.stringify(event)}`);
    before = ",";
  }
  await writeOut(`${before === "," ? "" : before}]}\n`);
}

async function writeText(
  run: RunSummary,
  path: string | null,
  events: AsyncIterable<AgentEvent>,
  raw: boolean | undefined,
): Promise<void> {
  const fields = Object.entries(run).filter(([, value]) => value !== null);
  const rows = [
    ...fields.map(([key, value]) => [key, shorten(String(value), 200)]),
    ...(path === null ? [] : [["file", path]]),
  ];
  await writeOut(`${columns(rows)}\n\n`);
  for await (const event of events) await writeOut(`${eventLine(event, raw)}\n`);
}

async function tail(args: string[]): Promise<number> {
  const options = { ...eventOptions, from: { type: "string" } } as const;
  const { values, positionals } = parseCommandLine(args, options, "cortex runs", 1);
  if (values.raw) showRaw();
  const env = readEnvironment();
  const show = ({ line, event }: RunLine) => writeOut(`${values.json ? line : eventLine(event, values.raw)}\n`);
  if (values.from !== undefined)
    return (await import("../../runs/tail-from.ts")).tailFrom(env, positionals[0], values.from, show);
  for await (const tailed of tailRun(env.journalPath, findRun(env.journalPath, positionals[0]))) await show(tailed);
  return exitCodes.done;
}

async function cancel(args: string[]): Promise<number> {
  const { values, positionals } = parseCommandLine(args, jsonOption, "cortex runs", 1);
  const env = readEnvironment();
  const agentId = findRun(env.journalPath, positionals[0]);
  if (runState(env.journalPath, agentId) === "ended")
    throw usageError(`run ${agentId} has ended`, `see: cortex runs show ${agentId}`);
  // Imported by who needs the bus: listing runs doesn't.
  const { connectToJournal } = await import("../../command/connection.ts");
  await using bus = await connectToJournal(env);
  bus.connection.publish(subjects.cancel(agentId), "{}");
  await bus.connection.flush();
  if (values.json) process.stdout.write(`${JSON.stringify({ ok: true, agent_id: agentId })}\n`);
  return exitCodes.done;
}

function eventLine({ event, ts, seq, ...rest }: AgentEvent, raw = false): string {
  const time = new Date(ts).toISOString().slice(11, 23);
  // Whose it is stands above, and the hash of the line before says nothing to a reader.
  const fields = JSON.stringify({ ...rest, agent_id: undefined, ...(raw ? {} : { prev: undefined }) });
  return `${String(seq).padStart(4)} ${time} ${event.padEnd(10)} ${raw ? fields : shorten(fields, 200)}`;
}
