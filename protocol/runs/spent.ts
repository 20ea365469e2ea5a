/** The usage of model calls, as far as it was told, and how such amounts add up. Pure. */
import { z } from "zod";
import { mostTokens, mostUsd, type Usage } from "../events/usage.ts";
import { type EventBody, isTerminal } from "./event.ts";
import { isRecord } from "../json/json-object.ts";

/** Most that a sum may be: beyond it, adding up is no longer exact, and what stands there isn't a sum of ours. */
const mostSum = 2 ** 53;

const amount = z.number().nonnegative().max(mostSum);

export const Spent = z.object({
  calls: amount,
  /** The calls that told no tokens. */
  untold_calls: amount,
  input_tokens: amount,
  cached_input_tokens: amount,
  output_tokens: amount,
  reasoning_tokens: amount,
  /** The cost as far as it is known. */
  cost_usd: amount,
  /** The tokens of calls whose price nobody knew. */
  unpriced_tokens: amount,
});
export type Spent = z.infer<typeof Spent>;

export const nothingSpent: Spent = {
  calls: 0,
  untold_calls: 0,
  input_tokens: 0,
  cached_input_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  cost_usd: 0,
  unpriced_tokens: 0,
};

/** The price of a million tokens of a model without a known price, in US dollars: more than nearly all models cost. */
export const defaultUnknownPriceUsd = 100;

/**
 * The usage that an event tells, or null. A `usage` event tells of a call, unless it repeats what the gateway has told. The totals of a terminal event count only
 * for a backend that told of none.
 * @param before what its run has told so far
 */
export function spentBy(event: EventBody, before: Spent): Spent | null {
  if (event.event === "usage") return event["repeated"] === true || isUntoldBreak(event) ? null : read(event);
  if (!isTerminal(event) || before.calls > 0 || !isRecord(event["usage"])) return null;
  return read(event["usage"]);
}

/** A call that didn't come to its end, of which the provider told nothing: whether it is paid for, nobody knows. */
function isUntoldBreak({ finish_reason: reason, ...usage }: EventBody): boolean {
  if (reason !== "cancelled" && reason !== "error") return false;
  return (usage["cost_usd"] ?? null) === null && tokenFields.every((field) => usage[field] === undefined);
}

/** Each field counts by itself: one that makes no sense hides none of the others. */
function read(usage: Record<string, unknown>): Spent {
  const [input_tokens, output_tokens] = [tokensIn(usage, "input_tokens"), tokensIn(usage, "output_tokens")];
  const { cost_usd } = usage;
  const cost = isAmount(cost_usd, mostUsd) ? cost_usd : undefined;
  const told = (input_tokens ?? 0) + (output_tokens ?? 0);
  const isUntold = (input_tokens === undefined && output_tokens === undefined) || absurdAmount(usage) !== null;
  return {
    calls: 1,
    untold_calls: isUntold ? 1 : 0,
    input_tokens: input_tokens ?? 0,
    cached_input_tokens: tokensIn(usage, "cached_input_tokens") ?? 0,
    output_tokens: output_tokens ?? 0,
    reasoning_tokens: tokensIn(usage, "reasoning_tokens") ?? 0,
    cost_usd: cost ?? 0,
    unpriced_tokens: cost === undefined ? told : 0,
  };
}

/** Tokens that an event tells of, whole ones; undefined where it tells of none that can be. */
export function tokensIn(usage: Record<string, unknown>, field: TokenField): number | undefined {
  const { [field]: value } = usage;
  return isAmount(value, mostTokens) ? Math.ceil(value) : undefined;
}

const tokenFields = ["input_tokens", "cached_input_tokens", "output_tokens", "reasoning_tokens"] as const;
type TokenField = (typeof tokenFields)[number];

/** The first amount of a `usage` that nobody can have used, in words; null where all can be. */
export function absurdAmount(usage: Record<string, unknown>): string | null {
  const most = [...tokenFields.map((field) => [field, mostTokens] as const), ["cost_usd", mostUsd] as const];
  const [field] = most.find(([name, limit]) => typeof usage[name] === "number" && usage[name] > limit) ?? [];
  return field === undefined ? null : `${field} ${String(usage[field])}`;
}

const isAmount = (value: unknown, most: number): value is number =>
  typeof value === "number" && value >= 0 && value <= most;

export const tokensOf = ({ input_tokens, output_tokens }: Spent) => input_tokens + output_tokens;

/** The cost at most, with a price in US dollars for a million tokens of those that have none. */
export const costAtMost = ({ cost_usd, unpriced_tokens }: Spent, unknownPriceUsd: number) =>
  cost_usd + (unpriced_tokens * unknownPriceUsd) / 1e6;

/** Whether sums can be held against a limit: one that isn't a number is a refusal, never a permission. */
export const isCountable = (spent: Spent): boolean => fields.every((field) => Number.isFinite(spent[field]));

/** Whether all calls told what they cost. */
export const isCostKnown = ({ untold_calls, unpriced_tokens }: Spent) => untold_calls === 0 && unpriced_tokens === 0;

export const addedSpent = (a: Spent, b: Spent): Spent => combined(a, b, (x, y) => x + y);

/** Subtracts `b` from `a`. */
export const spentWithout = (a: Spent, b: Spent): Spent => combined(a, b, (x, y) => x - y);

/** Combines two accounts of the same calls: of each field, the one that tells more, since amounts only grow. */
export const fullerSpent = (a: Spent, b: Spent): Spent => combined(a, b, Math.max);

export const isSame = (a: Spent, b: Spent): boolean => fields.every((field) => a[field] === b[field]);

/** As a terminal event tells the totals of its run. */
export function totalsOf(spent: Spent): Usage {
  const { input_tokens, cached_input_tokens, output_tokens, reasoning_tokens } = spent;
  return {
    input_tokens,
    cached_input_tokens,
    output_tokens,
    reasoning_tokens,
    total_tokens: tokensOf(spent),
    cost_usd: isCostKnown(spent) ? spent.cost_usd : null,
  };
}

const fields = Object.keys(nothingSpent) as (keyof Spent)[];

function combined(a: Spent, b: Spent, by: (a: number, b: number) => number): Spent {
  return Object.fromEntries(fields.map((field) => [field, by(a[field], b[field])])) as Spent;
}
