/** The part of the settings that limits what all runs of a day may use together. */
import { z } from "zod";
import { personaNamePattern } from "../names/names.ts";

/** Limits of money and tokens. 0: nothing at all. */
export const UsageLimits = z.looseObject({
  max_cost_usd: z.number().nonnegative().optional().meta({ description: "Most that they may cost, in US dollars." }),
  max_total_tokens: z.number().int().nonnegative().optional().meta({ description: "Most tokens that they may use." }),
});
export type UsageLimits = z.infer<typeof UsageLimits>;

/** Whether anything is limited. */
export const hasLimit = (limits: UsageLimits | undefined): limits is UsageLimits =>
  limits?.max_cost_usd !== undefined || limits?.max_total_tokens !== undefined;

export const Budgets = z.looseObject({
  daily: UsageLimits.optional().meta({
    description:
      "The usage that all runs of a local day may have together, whichever worker they run on. At the limit those that run are stopped and others end at once, with reason `budget`, until midnight. Runs are stopped between model calls: each that runs may overshoot by the call that it is in.",
  }),
  personas: z
    .record(
      z.string().regex(personaNamePattern),
      z.looseObject({
        daily: UsageLimits.optional().meta({
          description: "The usage that all runs of this persona may have in a local day.",
        }),
      }),
    )
    .optional()
    .meta({ description: "Limits of single personas, by name." }),
  models: z.record(z.string().min(1).max(200), UsageLimits).optional().meta({
    description:
      "The usage that all runs may have of some models in a local day, by a pattern of their names: `*` is any text, `?` one character. A call to such a model that goes through the gateway is refused at the limit; a run that has used one is stopped.",
  }),
  unknown_price_usd: z.number().nonnegative().optional().meta({
    description:
      "The price of a million tokens of a model without a known price, in US dollars, wherever money is limited. 0: nothing, as for models of your own machine. Default 100.",
  }),
});
export type Budgets = z.infer<typeof Budgets>;
