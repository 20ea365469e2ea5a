/** Spans of calls of tools: from `tool_start` to `tool_end`. A call that ends nowhere ends with its attempt. */
import { attributes as names, operations, otherError } from "../conventions/names.ts";
import { spanIdOf, traceIdOf } from "../conventions/trace-ids.ts";
import type { Measure, Span } from "../otlp/telemetry-data.ts";
import { contentJson } from "./content.ts";
import { present, secondsBetween, sharedAttributes } from "./described-run.ts";
import { noteTask } from "./mapper-state.ts";
import { nameIn, type OpenTool } from "./open-run.ts";
import { allFinished, type Finished, type MapperContext, nothingFinished } from "./mapper-context.ts";

/** Calls of a run that may be open at once: more than any model makes together. Others are told of by their end alone. */
const mostOpen = 256;

/** The tools that send a task off, or on: what they answer names it. */
const sendsTask = new Set(["spawn_subagent", "resume_task"]);

export function beginTool({ run, event, content }: MapperContext): Finished {
  if (run.tools.length >= mostOpen) return nothingFinished();
  const id = idIn(event);
  run.tools = run.tools.filter((tool) => tool.id !== id);
  const args = content ? contentJson(event["args"]) : undefined;
  const tool = nameIn(event, "tool") ?? "unknown";
  run.tools.push({ id, tool, ts: event.ts, seq: event.seq, epoch: run.epoch, ...(args !== undefined && { args }) });
  return nothingFinished();
}

export function endTool(context: MapperContext): Finished {
  const { state, run, event, content } = context;
  const id = idIn(event);
  const begun = run.tools.find((tool) => tool.id === id) ?? withoutBegin(context, id);
  run.tools = run.tools.filter((tool) => tool.id !== id);
  const failure = event["is_error"] === true ? otherError : undefined;
  const result = content ? contentJson(event["result"]) : undefined;
  const finished = finishedTool(context, begun, failure, result);
  const task = sendsTask.has(begun.tool) && failure === undefined ? taskIn(event["result"]) : undefined;
  const [span] = finished.spans;
  if (task !== undefined && span) noteTask(state, { task, traceId: span.traceId, spanId: span.spanId });
  return finished;
}

/** Ends the calls that are open: their attempt was lost, or the run is over. */
export function interruptTools(context: MapperContext): Finished {
  const { run } = context;
  const finished = allFinished(run.tools.map((tool) => finishedTool(context, tool, "interrupted", undefined)));
  run.tools = [];
  return finished;
}

function finishedTool(
  { state, agentId, run, event }: MapperContext,
  { id, tool, ts, seq, epoch, args }: OpenTool,
  failure: string | undefined,
  result: string | undefined,
): Finished {
  const span: Span = {
    traceId: traceIdOf(state.instance, agentId),
    spanId: spanIdOf(state.instance, agentId, `tool ${epoch} ${seq}`),
    parentSpanId: spanIdOf(state.instance, agentId, "run"),
    name: `${operations.tool} ${tool}`,
    kind: "internal",
    start: Math.min(ts, event.ts),
    end: event.ts,
    attributes: present({
      [names.operation]: operations.tool,
      ...sharedAttributes(run),
      [names.toolName]: tool,
      [names.toolCall]: id === "" ? undefined : id,
      [names.errorType]: failure,
      [names.toolArguments]: args,
      [names.toolResult]: result,
    }),
    links: [],
    ...(failure !== undefined && { failure: {} }),
  };
  const measure: Measure = {
    metric: "toolSeconds",
    value: secondsBetween(ts, event.ts),
    attributes: present({ [names.toolName]: tool, [names.agentName]: run.persona, [names.errorType]: failure }),
  };
  return { spans: [span], measures: [measure] };
}

/** A call whose begin wasn't read: how long it took, its end says. */
function withoutBegin({ run, event, content }: MapperContext, id: string): OpenTool {
  const { duration_ms: took } = event;
  const ts = event.ts - (typeof took === "number" && took > 0 && took < event.ts ? took : 0);
  const args = content ? contentJson(event["args"]) : undefined;
  const tool = nameIn(event, "tool") ?? "unknown";
  return { id, tool, ts, seq: event.seq, epoch: run.epoch, ...(args !== undefined && { args }) };
}

const idIn = (event: Record<string, unknown>): string => nameIn(event, "call_id") ?? "";

/** The task that an answer names, as an object or as its JSON. */
function taskIn(result: unknown): string | undefined {
  const text = typeof result === "string" ? result : JSON.stringify(result);
  return /"taskId":\s?"([a-z][a-z0-9]{23})"/.exec(text ?? "")?.[1];
}
