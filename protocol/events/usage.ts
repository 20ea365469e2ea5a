/** The usage of a model call or a run, and the most of it that is believed. */
import { z } from "zod";
import { text } from "./event-fields.ts";

/** Most tokens and dollars that one event may tell of: more isn't believed. What a whole run uses is less by far. */
export const mostTokens = 10_000_000_000;
export const mostUsd = 1_000_000;

/** How a model call ended. */
export const FinishReason = z.enum(["stop", "tool_calls", "length", "refusal", "cancelled", "error"]);
export type FinishReason = z.infer<typeof FinishReason>;

const tokens = (description: string) => z.number().nonnegative().max(mostTokens).meta({ description });

/** Token counts and cost, of one call or of a whole run. */
export const Usage = z.looseObject({
  model: text("The model that answered.").optional(),
  input_tokens: tokens("Tokens sent, the cached ones included.").optional(),
  cached_input_tokens: tokens("The part of `input_tokens` that the provider had cached.").optional(),
  output_tokens: tokens("Tokens answered, reasoning included.").optional(),
  reasoning_tokens: tokens("The part of `output_tokens` that was reasoning.").optional(),
  web_searches: z
    .number()
    .nonnegative()
    .optional()
    .meta({ description: "Searches of the web that the provider made and counts." }),
  cost_usd: z
    .number()
    .nonnegative()
    .max(mostUsd)
    .nullable()
    .optional()
    .meta({ description: "`null` where no price is known." }),
});
export type Usage = z.infer<typeof Usage>;
