/**
 * Spans of model calls. Events tell when a call ended and not when it began: that is the last event which it can have waited for (the
 * run's start, a tool's end, the call before it, the end of a wait).
 */
import { attributes as names, operations, otherError, ownAttributes } from "../conventions/names.ts";
import { spanIdOf, traceIdOf } from "../conventions/trace-ids.ts";
import { addedSpent, type Spent, spentBy, tokensIn } from "../../protocol/runs/spent.ts";
import type { Attributes, Measure, Span } from "../otlp/telemetry-data.ts";
import { present, providerOf, secondsBetween, sharedAttributes } from "./described-run.ts";
import { kindIn, nameIn, type OpenRun } from "./open-run.ts";
import type { Finished, MapperContext } from "./mapper-context.ts";

/** The call that a `usage` tells of. */
export function callOf(context: MapperContext): Finished {
  const { run, event } = context;
  const spent = spentBy(event, run.spent);
  if (spent) run.spent = addedSpent(run.spent, spent);
  const { estimated } = event;
  const [reason, purpose] = [kindIn(event, "finish_reason"), kindIn(event, "purpose")];
  const answered = nameIn(event, "model");
  // A call for a purpose of its own is made with a model of its own.
  const model = purpose === undefined ? (run.model ?? answered) : answered;
  const failure = reason === "error" ? otherError : reason === "cancelled" ? "cancelled" : undefined;
  const described = { model, answered, failure };
  const measures = spent
    ? usageMeasures(run, spent, { ...described, tokens: tokensOf(event), operation: operations.call })
    : [];
  // It stands for calls that the backend doesn't show: how many, and how long they took, nobody knows.
  if (purpose === "internal") return { spans: [], measures };
  const attributes = present({
    ...callAttributes(run, described),
    [names.finishReasons]: reason === undefined ? undefined : [reason],
    ...tokenAttributes(event),
    [ownAttributes.purpose]: purpose,
    [ownAttributes.estimated]: estimated === true ? true : undefined,
    [ownAttributes.costUsd]: spent && typeof event["cost_usd"] === "number" ? { double: spent.cost_usd } : undefined,
  });
  return {
    spans: [spanOf(context, model, attributes, failure !== undefined)],
    measures: [duration(context, described), ...measures],
  };
}

/** A call that failed before it used anything. */
export function failedCallOf(context: MapperContext, failure: string): Finished {
  const { run } = context;
  const described = { model: run.model, answered: undefined, failure };
  const span = spanOf(context, run.model, callAttributes(run, described), true);
  return { spans: [span], measures: [duration(context, described)] };
}

type Described = { model: string | undefined; answered: string | undefined; failure: string | undefined };

/** Measures of what was used. @param tokens those that were told, and not estimated */
export function usageMeasures(
  run: OpenRun,
  spent: Spent,
  { model, answered, tokens, operation }: Omit<Described, "failure"> & { tokens: Tokens; operation: string },
): Measure[] {
  const attributes = present({
    [names.operation]: operation,
    [names.provider]: providerOf(run),
    [names.requestModel]: model,
    [names.responseModel]: answered,
  });
  const told = Object.entries(tokens).map(([type, value]): Measure => {
    return { metric: "tokens", value, attributes: { ...attributes, [names.tokenType]: type } };
  });
  const { [names.operation]: _operation, [names.responseModel]: _answered, ...ofCost } = attributes;
  const cost: Measure = {
    metric: "costUsd",
    value: spent.cost_usd,
    attributes: { ...ofCost, [names.agentName]: run.persona },
  };
  return spent.cost_usd > 0 ? [...told, cost] : told;
}

/** Tokens by their type, as far as they were told: the conventions have no estimates in the metric. */
export type Tokens = { input?: number; output?: number };

export function tokensOf(usage: Record<string, unknown>): Tokens {
  if (usage["estimated"] === true) return {};
  const [input, output] = [tokensIn(usage, "input_tokens"), tokensIn(usage, "output_tokens")];
  return { ...(input !== undefined && { input }), ...(output !== undefined && { output }) };
}

export const tokenAttributes = (usage: Record<string, unknown>): Attributes =>
  present({
    [names.inputTokens]: tokensIn(usage, "input_tokens"),
    [names.cachedTokens]: tokensIn(usage, "cached_input_tokens"),
    [names.outputTokens]: tokensIn(usage, "output_tokens"),
    [names.reasoningTokens]: tokensIn(usage, "reasoning_tokens"),
  });

const callAttributes = (run: OpenRun, { model, answered, failure }: Described): Attributes =>
  present({
    [names.operation]: operations.call,
    ...sharedAttributes(run),
    [names.requestModel]: model,
    [names.responseModel]: answered,
    [names.errorType]: failure,
  });

function duration({ run, event }: MapperContext, { model, answered, failure }: Described): Measure {
  const attributes = present({
    [names.operation]: operations.call,
    [names.provider]: providerOf(run),
    [names.requestModel]: model,
    [names.responseModel]: answered,
    [names.errorType]: failure,
  });
  return { metric: "callSeconds", value: secondsBetween(run.since, event.ts), attributes };
}

function spanOf(context: MapperContext, model: string | undefined, attributes: Attributes, hasFailed: boolean): Span {
  const { state, agentId, run, event } = context;
  return {
    traceId: traceIdOf(state.instance, agentId),
    spanId: spanIdOf(state.instance, agentId, `call ${run.epoch} ${event.seq}`),
    parentSpanId: spanIdOf(state.instance, agentId, "run"),
    name: model === undefined ? operations.call : `${operations.call} ${model}`,
    kind: "client",
    start: Math.min(run.since, event.ts),
    end: event.ts,
    attributes,
    links: [],
    ...(hasFailed && { failure: {} }),
  };
}
