/**
 * The share of its limits that a run gives to somebody whom it sends off, asked of cortex on `cortex.grant.<agent_id>`,
 * and the answer.
 */
import { z } from "zod";
import { Limits } from "./request.ts";

const { max_cost_usd, max_total_tokens, max_total_turns, max_total_seconds } = Limits.shape;

/** Limits that hold for a run, all that it hands off to, and all that it sends off. */
export const TreeLimits = z.object({ max_cost_usd, max_total_tokens, max_total_turns, max_total_seconds });
export type TreeLimits = z.infer<typeof TreeLimits>;

export const GrantRequest = z
  .looseObject({
    id: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,128}$/, "expected letters, digits, _ and -, at most 128")
      .meta({ description: "Makes it once: the same id again is answered the same." }),
    share: z.number().positive().max(1).meta({ description: "How much of what is left of each limit, from 0 to 1." }),
  })
  .meta({
    id: "GrantRequest",
    title: "Grant request",
    description:
      "Asks cortex, on `cortex.grant.<agent_id>`, to take a share out of what is left of a run's limits, for somebody whom the run sends off. Nobody answers for a run that isn't at work.",
    examples: [{ id: "c0ffee", share: 0.5 }],
  });
export type GrantRequest = z.infer<typeof GrantRequest>;

export const GrantAnswer = z
  .looseObject({
    ok: z.boolean().meta({ description: "Whether it was given." }),
    limits: TreeLimits.optional().meta({
      description: "The limits that were given: its own are that much lower now. Empty where the run has none.",
    }),
    error: z.string().optional().meta({ description: "Why nothing was given." }),
  })
  .meta({
    id: "GrantAnswer",
    title: "Grant answer",
    description: "Cortex's answer to a grant request. The share is also in the run's file, as `granted`.",
    examples: [
      { ok: true, limits: { max_cost_usd: 0.25, max_total_tokens: 435 } },
      { ok: false, error: "max_total_tokens is exhausted" },
    ],
  });
export type GrantAnswer = z.infer<typeof GrantAnswer>;
