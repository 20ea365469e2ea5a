/**
 * The events of runs become spans and measures: `invoke_agent` for a run, and below it `chat` for each model call and `execute_tool`
 * for each call of a tool. Pure: the same state and event give the same, with the same ids. A span is there when it is over.
 */
import { otherError } from "../conventions/names.ts";
import { runPlace } from "../conventions/trace-ids.ts";
import { type AgentEvent, isTerminal } from "../../protocol/runs/event.ts";
import { callOf, failedCallOf } from "./call-span.ts";
import { contentText } from "./content.ts";
import { allFinished, type Finished, type MapperContext, nothingFinished } from "./mapper-context.ts";
import { type MapperState, noteEnd } from "./mapper-state.ts";
import { kindIn, nameIn, newRun, type OpenRun, applyRequest } from "./open-run.ts";
import { runSpan } from "./run-span.ts";
import { beginTool, endTool, interruptTools } from "./tool-span.ts";

/** Events of a run after its terminal event: they begin nothing. */
const afterTheEnd = new Set(["changes", "saved", "save_failed", "handoff", "continue"]);

/**
 * Applies an event to the state, and returns what has ended by it.
 * @param epoch how often the run had changed hands
 */
export function applyEvent(state: MapperState, event: AgentEvent, epoch: number, content: boolean): Finished {
  const { agent_id: agentId } = event;
  const run = runOf(state, event);
  if (!run || isOld(run, event, epoch)) return nothingFinished();
  state.newest = Math.max(state.newest, event.ts);
  run.seq = event.seq;
  run.epoch = Math.max(run.epoch, epoch);
  run.last = event.ts;
  state.runs[agentId] = run;
  const context: MapperContext = { state, agentId, run, event, content };
  return isTerminal(event) ? end(context) : (inputs[event.event]?.(context) ?? nothingFinished());
}

/** The run of an event; null where the event can only be one of a run that has been told of. */
function runOf(state: MapperState, { agent_id, event, ts }: AgentEvent): OpenRun | null {
  const known = state.runs[agent_id];
  if (known) return known;
  if (afterTheEnd.has(event) || ts <= state.read_before || state.ended.includes(agent_id)) return null;
  return newRun(ts);
}

/** Whether it was read before, or was said by a worker that had lost the run. */
const isOld = (run: OpenRun, { seq }: AgentEvent, epoch: number) =>
  epoch > run.epoch ? false : (epoch > 0 && epoch < run.epoch) || seq <= run.seq;

/** The events that change a run, or end something of it. */
const inputs: Readonly<Record<string, (context: MapperContext) => Finished>> = {
  request: ({ run, event, content }) => {
    applyRequest(run, event);
    if (content) run.prompt = contentText(event["prompt"]);
    return nothingFinished();
  },
  start: (context) => {
    const { run, event } = context;
    const { attempt } = event;
    // Calls of an attempt that was lost end nowhere.
    const finished = interruptTools(context);
    run.started ??= event.ts;
    run.attempts = typeof attempt === "number" && Number.isSafeInteger(attempt) ? attempt : run.attempts + 1;
    run.backend = nameIn(event, "backend") ?? run.backend;
    run.model = nameIn(event, "model") ?? run.model;
    callMayBegin(run, event.ts);
    return finished;
  },
  usage: (context) => {
    const { run, event } = context;
    if (event["repeated"] === true) return nothingFinished();
    const finished = callOf(context);
    callMayBegin(run, event.ts);
    run.told_failure = event["finish_reason"] === "error";
    return finished;
  },
  retry: (context) => {
    const { run, event } = context;
    const { status, delay_ms: delay } = event;
    const failure = typeof status === "number" ? String(status) : otherError;
    const finished = run.told_failure ? nothingFinished() : failedCallOf(context, failure);
    callMayBegin(run, event.ts + (typeof delay === "number" && delay > 0 ? delay : 0));
    return finished;
  },
  tool_start: beginTool,
  tool_end: (context) => {
    const finished = endTool(context);
    callMayBegin(context.run, context.event.ts);
    return finished;
  },
  compacted: ({ run, event }) => callMayBegin(run, event.ts),
  permission_decided: ({ run, event }) => callMayBegin(run, event.ts),
};

/** Notes that what the next model call can have waited for is over. */
function callMayBegin(run: OpenRun, ts: number): Finished {
  run.since = ts;
  run.told_failure = false;
  return nothingFinished();
}

function end(context: MapperContext): Finished {
  const { state, agentId, run, event } = context;
  const tools = interruptTools(context);
  // The call after which a run gives up is told of by its end alone.
  const isLastCall = event["reason"] === "provider" && run.started !== undefined && !run.told_failure;
  const call = isLastCall ? failedCallOf(context, kindIn(event, "detail") ?? otherError) : nothingFinished();
  const whole = runSpan(context, runPlace(state.instance, agentId));
  noteEnd(state, agentId);
  return allFinished([tools, call, whole]);
}
