/** `cortex runs list`: the newest runs, all or those that filters name. Needs no bus. */
import { listAgents } from "../../../journal/agents/agent-files.ts";
import { owningAgents } from "../../../journal/agents/owning-agent.ts";
import { listRuns, type RunSummary } from "../../../journal/runs/list-runs.ts";
import { readEnvironment } from "../../../proc/programs/environment.ts";
import { exitCodes } from "../../../protocol/runs/exit-codes.ts";
import { parseCommandLine, usageError } from "../../command/command.ts";
import { columns } from "../../command/layout/columns.ts";
import { shorten } from "../../command/layout/text.ts";
import { asItIs, queuedRuns } from "./runs-now.ts";

const defaultCount = 50;
const text = { type: "string" } as const;

/** The filters of the API's operation `run.list`, by the names that they have there. `agent` has rules of its own here. */
const filters = {
  text,
  state: text,
  persona: text,
  model: text,
  backend: text,
  schedule: text,
  day: text,
  "day-to": text,
} as const;

/** @param args what stands behind `list` */
export async function listAction(args: string[]): Promise<number> {
  const options = { json: { type: "boolean" }, count: { ...text, short: "n" }, agent: text, ...filters } as const;
  const { json = false, count: typed, agent, ...given } = parseCommandLine(args, options, "cortex runs", 0).values;
  const count = typed === undefined ? defaultCount : Number(typed);
  if (!Number.isInteger(count) || count < 1)
    throw usageError(`-n "${typed}": expected a number from 1`, "for example: -n 20");
  const { journalPath: journal, timeZone } = readEnvironment();
  const isWanted = agent === undefined ? () => true : isOfAgent(journal, agent);
  const isFiltered = Object.keys(given).length > 0;
  const runs = isFiltered
    ? // Imported by who filters: the newest runs are listed without the index.
      await (await import("./filtered-runs.ts")).filteredRuns({ journal, timeZone }, given, { count, isWanted })
    : await newestRuns(journal, count, isWanted);
  const none = isFiltered ? "no run fits these filters" : "no runs yet";
  if (json) process.stdout.write(`${JSON.stringify({ runs })}\n`);
  else process.stdout.write(runs.length > 0 ? `${columns([...heading(), ...runs.map(row)])}\n` : `${none}\n`);
  return exitCodes.done;
}

async function newestRuns(
  journal: string,
  count: number,
  isWanted: (run: RunSummary) => boolean,
): Promise<RunSummary[]> {
  const listed = (await listRuns(journal, count, isWanted)).map((run) => asItIs(journal, run));
  return [...queuedRuns(journal).filter(isWanted), ...listed].slice(0, count);
}

/** Whether a run is a turn of an agent, or of a task of it, by the begin of its id. @throws CommandError where it is no agent's */
function isOfAgent(journal: string, given: string): (run: RunSummary) => boolean {
  const [id, ...others] = given === "" ? [] : listAgents(journal).filter((agent) => agent.startsWith(given));
  if (id === undefined) throw usageError(`no agent "${given}"`, "see: cortex agents list, cortex tasks list");
  if (others.length > 0) throw usageError(`"${given}" begins several ids`, "give more of it");
  const owners = owningAgents(journal);
  return ({ agent }) => agent !== undefined && (agent === id || owners(agent)?.id === id);
}

/** For people alone: scripts read the rows of a pipe, which have none. */
const heading = () => (process.stdout.isTTY ? [["ID", "STATE", "PERSONA", "BACKEND", "PROMPT"]] : []);

function row({ agent_id, state, persona, backend, reason, prompt, damaged }: RunSummary): string[] {
  const how = damaged ?? reason;
  return [agent_id, how ? `${state} (${shorten(how, 60)})` : state, persona, backend ?? "-", shorten(prompt, 60)];
}
