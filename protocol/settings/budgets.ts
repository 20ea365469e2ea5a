/** The part of the settings that limits what all runs of a day may use together. */
import { z } from "zod";
import { personaNamePattern } from "../names/names.ts";

/** Limits of money and tokens. 0: nothing at all. */
export const Amounts = z.looseObject({
  max_cost_usd: z.number().nonnegative().optional().meta({ description: "Most that they may cost, in US dollars." }),
  max_total_tokens: z.number().int().nonnegative().optional().meta({ description: "Most tokens that they may use." }),
});
export type Amounts = z.infer<typeof Amounts>;

export const Budgets = z.looseObject({
  daily: Amounts.optional().meta({
    description:
      "What all runs of a local day may use together, whichever worker they run on. At the limit those that run are stopped and others end at once, with reason `budget`, until midnight. Runs are stopped between model calls: each that runs may overshoot by the call that it is in.",
  }),
  personas: z
    .record(
      z.string().regex(personaNamePattern),
      z.looseObject({
        daily: Amounts.optional().meta({ description: "What all runs of this persona may use in a local day." }),
      }),
    )
    .optional()
    .meta({ description: "Limits of single personas, by name." }),
  unknown_price_usd: z.number().nonnegative().optional().meta({
    description:
      "What a million tokens of a model without a known price count as, in US dollars, wherever money is limited. 0: nothing, as for models of your own machine. Default 100.",
  }),
});
export type Budgets = z.infer<typeof Budgets>;
