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
/** Runs that may be open at once: beyond them the one that was silent for longest is let go. */
const mostOpen = 20_000;

/** Lets go of the runs that will not be heard of any more, and returns their ids. @param now in ms */
export function dropSilent(state: MapperState, now: number): string[] {
  const open = Object.entries(state.runs);
  const silent = open.filter(([, { last }]) => last < now - silentMs);
  const rest = open.length - silent.length - mostOpen;
  const oldest =
    rest > 0 ? open.toSorted(([, one], [, other]) => one.last - other.last).slice(0, silent.length + rest) : [];
  const dropped = new Set([...silent, ...oldest].map(([agentId]) => agentId));
  for (const agentId of dropped) noteEnd(state, agentId);
  return [...dropped];
}

/** Takes out what people and models have said: it isn't to be sent any more. */
export function forgetContent(state: MapperState): void {
  for (const run of Object.values(state.runs)) {
    delete run.prompt;
    for (const tool of run.tools) delete tool.args;
  }
}
