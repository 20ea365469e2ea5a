/** The span of a run as a whole. The runs that it comes from are links: each run is a trace of its own. */
import { attributes as names, operations, otherError, ownAttributes } from "../conventions/names.ts";
import { runPlace, type SpanPlace } from "../conventions/trace-ids.ts";
import { addedSpent, isCostKnown, spentBy } from "../../protocol/runs/spent.ts";
import { isRecord } from "../../protocol/json/json-object.ts";
import type { Attributes, Measure, Span, SpanLink } from "../otlp/telemetry-data.ts";
import { tokensOf, usageMeasures } from "./call-span.ts";
import { contentText, messageJson } from "./content.ts";
import { present, secondsBetween, sharedAttributes } from "./described-run.ts";
import { kindIn, nameIn } from "./open-run.ts";
import type { Finished, MapperContext } from "./mapper-context.ts";

/** The span of a run that ends with this event. */
export function runSpan(context: MapperContext, place: SpanPlace): Finished {
  const { run, event, content } = context;
  const measures = untoldUsage(context);
  const start = run.started ?? run.first;
  const failure = event.event === "error" ? (kindIn(event, "reason") ?? otherError) : undefined;
  const message = content ? contentText(event["error"]) : undefined;
  const span: Span = {
    ...place,
    name: `${operations.agent} ${run.persona}`,
    kind: "internal",
    start: Math.min(start, event.ts),
    end: event.ts,
    attributes: { ...attributesOf(context, failure), ...(content && contentOf(context)) },
    links: linksOf(context),
    ...(failure !== undefined && { failure: { ...(message !== undefined && { message }) } }),
  };
  const duration: Measure = {
    metric: "agentSeconds",
    value: secondsBetween(start, event.ts),
    attributes: present({ [names.agentName]: run.persona, [names.errorType]: failure }),
  };
  return { spans: [span], measures: [...measures, duration] };
}

/** The totals of a backend that has told of no call: of all its calls together. */
function untoldUsage({ run, event }: MapperContext): Measure[] {
  const spent = spentBy(event, run.spent);
  const { usage } = event;
  if (!spent || !isRecord(usage)) return [];
  run.spent = addedSpent(run.spent, spent);
  return usageMeasures(run, spent, {
    model: run.model,
    answered: nameIn(usage, "model"),
    tokens: tokensOf(usage),
    operation: operations.agent,
  });
}

function attributesOf({ agentId, run }: MapperContext, failure: string | undefined): Attributes {
  const { calls, input_tokens, cached_input_tokens, output_tokens, cost_usd } = run.spent;
  const of = (tokens: number) => (calls > 0 ? tokens : undefined);
  return present({
    [names.operation]: operations.agent,
    ...sharedAttributes(run),
    [names.requestModel]: run.model,
    [names.inputTokens]: of(input_tokens),
    [names.cachedTokens]: of(cached_input_tokens),
    [names.outputTokens]: of(output_tokens),
    [names.errorType]: failure,
    [ownAttributes.run]: agentId,
    [ownAttributes.attempts]: run.attempts,
    // Unknown in part is unknown.
    [ownAttributes.costUsd]: calls > 0 && isCostKnown(run.spent) ? { double: cost_usd } : undefined,
  });
}

function contentOf({ run, event }: MapperContext): Attributes {
  const result = contentText(event["result"]);
  return present({
    [names.inputMessages]: run.prompt === undefined ? undefined : messageJson("user", run.prompt),
    [names.outputMessages]: result === undefined ? undefined : messageJson("assistant", result, "stop"),
  });
}

/** The run that handed on to it, the one that it continues, and the call that sent its task off: that has answered at once, long before. */
function linksOf({ state, run }: MapperContext): SpanLink[] {
  const link = (kind: string, place: SpanPlace): SpanLink => ({ ...place, attributes: { [ownAttributes.link]: kind } });
  const { handoff_from, continue_from, agent } = run;
  const task = state.tasks.find((one) => one.task === agent);
  return [
    ...(handoff_from === undefined ? [] : [link("handoff", runPlace(state.instance, handoff_from))]),
    ...(continue_from === undefined ? [] : [link("continuation", runPlace(state.instance, continue_from))]),
    ...(task ? [link("task", { traceId: task.traceId, spanId: task.spanId })] : []),
  ];
}
