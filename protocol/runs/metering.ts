/**
 * Notices of the gateway to cortex about a model call, on `cortex.metering.<agent_id>`, and the answer: asked before a
 * call is forwarded, told when it has ended.
 */
import { z } from "zod";
import { mostTokens, mostUsd } from "../events/usage.ts";
import { AgentId } from "../names/names.ts";
import { Spent } from "./spent.ts";

const CallId = z.string().min(1).max(64);
const model = z.string().max(200);
/** Most models that one call may name: some servers take a list to choose from. */
const mostModels = 20;

/**
 * A call that is under way.
 * @field most what it may use at most: it is set aside until the call has ended
 * @field likely what counts where nobody can tell any more what it has used
 */
export const CallUnderWay = z.object({
  agent_id: AgentId,
  call: CallId,
  models: z.array(model).max(mostModels),
  most: Spent,
  likely: Spent,
});
export type CallUnderWay = z.infer<typeof CallUnderWay>;

const tokens = z.number().int().nonnegative().max(mostTokens);

/** The usage of a call that has ended, as its event has it. `estimated`: the provider didn't say it. */
export const MeteredUsage = z.object({
  model,
  input_tokens: tokens,
  cached_input_tokens: tokens,
  cache_write_input_tokens: tokens.optional(),
  output_tokens: tokens,
  reasoning_tokens: tokens,
  web_searches: z.number().nonnegative().optional(),
  cost_usd: z.number().nonnegative().max(mostUsd).nullable(),
  finish_reason: z.enum(["cancelled", "error"]).optional(),
  estimated: z.literal(true).optional(),
});
export type MeteredUsage = z.infer<typeof MeteredUsage>;

/** @field gateway which life of the gateway it is: calls of a former one have ended with it */
const from = { gateway: z.string().min(1).max(64) };

/** May it be made? `others`: the calls that are under way by then, of all runs, which a new cortex doesn't know. */
const Begin = z.object({ event: z.literal("begin"), ...from, ...CallUnderWay.shape, others: z.array(CallUnderWay) });
/** It has ended. `usage` null: it has used nothing. */
const End = z.object({ event: z.literal("end"), ...from, call: CallId, usage: MeteredUsage.nullable() });

export const MeteringNotice = z.discriminatedUnion("event", [Begin, End]);
export type MeteringNotice = z.infer<typeof MeteringNotice>;

/**
 * `cap`: a limit is reached. `under_way`: it would be, by the calls that are under way. `over`: the run has ended, or is
 * being stopped. `starting`: the same is to be asked again at once.
 */
export const MeteringAnswer = z.union([
  z.object({ ok: z.literal(true) }),
  z.object({ ok: z.literal(false), refused: z.enum(["cap", "under_way", "over", "starting"]), error: z.string() }),
]);
export type MeteringAnswer = z.infer<typeof MeteringAnswer>;
