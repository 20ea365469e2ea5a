/** The usage of a call that has ended, as its provider has told it, else as it is estimated. */
import type { CallUnderWay, MeteredUsage } from "../../protocol/runs/metering.ts";
import { mostUsd } from "../../protocol/events/usage.ts";
import type { ModelProviderName } from "../../protocol/settings/model-providers.ts";
import type { HeardUsage } from "../dialects/dialect.ts";
import { heardTokens, likelyTokens } from "./estimate.ts";
import { costUsd } from "./prices.ts";

/** @field heard null: no answer came; @field isSent whether the provider may have begun to work */
type CallEnd = { status: number | null; isSent: boolean; isWhole: boolean; reader: { heard: HeardUsage } | null };

/** A refused call has used nothing. */
const firstFailure = 400;

/** Null: it has used nothing. */
export async function usageOf(
  provider: ModelProviderName,
  { models }: Pick<CallUnderWay, "models">,
  bodyBytes: number,
  maxOutputTokens: number | undefined,
  { status, isSent, isWhole, reader }: CallEnd,
): Promise<MeteredUsage | null> {
  if (!isSent || (status !== null && status >= firstFailure)) return null;
  const heard = reader?.heard ?? { isWhole: false, chars: 0 };
  const [asked = ""] = models;
  const told = heard.model ?? asked;
  // A limit of `gpt-5` is meant for its dated versions, by which answers are named.
  const model = (told.startsWith(asked) ? asked || told : told).slice(0, longestModel);
  const isHeard = heard.isWhole || isWhole || heard.chars > 0 || heard.input_tokens !== undefined;
  const estimate = isHeard ? heardTokens(bodyBytes, heard) : likelyTokens(bodyBytes, maxOutputTokens);
  // Reasoning is paid for, and a stream without usage shows nothing of it.
  const isReasoner = reasoners.test(told);
  const likely = isReasoner ? likelyTokens(bodyBytes, maxOutputTokens).output_tokens : 0;
  const sums = heard.isWhole
    ? { input_tokens: heard.input_tokens ?? 0, output_tokens: heard.output_tokens ?? 0 }
    : { ...estimate, output_tokens: Math.max(likely, estimate.output_tokens) };
  const tokens = {
    ...sums,
    cached_input_tokens: Math.min(heard.cached_input_tokens ?? 0, sums.input_tokens),
    reasoning_tokens: heard.reasoning_tokens ?? 0,
    ...(heard.cache_write_input_tokens && { cache_write_input_tokens: heard.cache_write_input_tokens }),
    ...(heard.web_searches && { web_searches: heard.web_searches }),
  };
  const cost = heard.cost_usd ?? (await costUsd(provider, told, tokens)) ?? (await costUsd(provider, asked, tokens));
  return {
    model,
    ...tokens,
    cost_usd: cost === null ? null : Math.min(cost, mostUsd),
    ...(!isWhole && { finish_reason: status === null ? ("error" as const) : ("cancelled" as const) }),
    ...(!heard.isWhole && { estimated: true as const }),
  };
}

const longestModel = 200;
/** Models of OpenAI's that reason out of sight. */
const reasoners = /^(?:openai\/)?(?:o\d|gpt-5)/;
