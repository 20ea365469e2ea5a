/** State that the mapper goes on from: the runs that are open, those that ended lately, and the calls that sent tasks off. */
import { z } from "zod";
import { AgentId } from "../../protocol/names/names.ts";
import { OpenRun } from "./open-run.ts";

const hex = z.string().regex(/^[0-9a-f]+$/);

export const MapperState = z.object({
  /** Sets the runs of this journal apart from those of others at the same receiver. */
  instance: z.string().min(1),
  runs: z.record(AgentId, OpenRun),
  /** The last runs that ended: an event of theirs begins nothing. */
  ended: z.array(AgentId),
  /** The call that sent a task off, by the task. */
  tasks: z.array(z.object({ task: z.string(), traceId: hex, spanId: hex })),
  /** The time of the latest event, in ms. */
  newest: z.number(),
  /** Events up to this time were read before the stream began anew, in ms. */
  read_before: z.number(),
});
export type MapperState = z.infer<typeof MapperState>;

export const newMapperState = (instance: string): MapperState => ({
  instance,
  runs: {},
  ended: [],
  tasks: [],
  newest: 0,
  read_before: 0,
});

/** Ended runs, and tasks, that are remembered. */
const [mostEnded, mostTasks] = [2000, 1000];

export function noteEnd(state: MapperState, agentId: string): void {
  delete state.runs[agentId];
  state.ended = [...state.ended, agentId].slice(-mostEnded);
}

export function noteTask(state: MapperState, task: MapperState["tasks"][number]): void {
  const others = state.tasks.filter((one) => one.task !== task.task);
  state.tasks = [...others, task].slice(-mostTasks);
}

/** A run of which nothing was heard for so long has no further event on the bus, which keeps them for seven days. In ms. */
const silentMs = 8 * 24 * 3_600_000;

/** Lets go of the runs that will not be heard of any more, and returns their ids. @param now in ms */
export function dropSilent(state: MapperState, now: number): string[] {
  const silent = Object.entries(state.runs).filter(([, { last }]) => last < now - silentMs);
  return dropRuns(state, silent);
}

/**
 * Characters of all that is open. It stands in one document, written with each batch; as JSON a character may become six, and a
 * string has room for 512 Mi. Some 20,000 runs, or 1,000 whose long prompts are sent too.
 */
const mostOpen = 32 * 1024 * 1024;
/** Characters at most of a run or a call that is open, beside what is said in it: names, numbers and their fields. */
const [runCharacters, toolCharacters] = [1500, 600];

/** Lets go of the runs that were silent for longest while too much is open, and returns their ids. */
export function dropExcess(state: MapperState): string[] {
  const sized = Object.entries(state.runs).map(([agentId, run]) => ({ agentId, run, size: sizeOf(run) }));
  let excess = sized.reduce((sum, { size }) => sum + size, 0) - mostOpen;
  if (excess <= 0) return [];
  const dropped: [string, OpenRun][] = [];
  for (const { agentId, run, size } of sized.toSorted((one, other) => one.run.last - other.run.last)) {
    if (excess <= 0) break;
    dropped.push([agentId, run]);
    excess -= size;
  }
  return dropRuns(state, dropped);
}

const sizeOf = ({ prompt = "", tools }: OpenRun): number =>
  tools.reduce((sum, { args = "" }) => sum + toolCharacters + args.length, runCharacters + prompt.length);

function dropRuns(state: MapperState, runs: readonly [agentId: string, run: OpenRun][]): string[] {
  for (const [agentId] of runs) noteEnd(state, agentId);
  return runs.map(([agentId]) => agentId);
}

/** Takes out what people and models have said: it isn't to be sent any more. */
export function forgetContent(state: MapperState): void {
  for (const run of Object.values(state.runs)) {
    delete run.prompt;
    for (const tool of run.tools) delete tool.args;
  }
}
