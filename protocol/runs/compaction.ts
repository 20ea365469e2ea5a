/** How large a conversation may be for its model, and when a summary takes the place of its older part. */
import { z } from "zod";

/** By the model's name, in tokens. */
export const ContextWindows = z
  .record(z.string().min(1), z.number().int().min(1000).max(100_000_000))
  .meta({ description: "Context windows by model, in tokens: for models that nobody else knows, or to use less." });

export const Compaction = z
  .looseObject({
    at: z.number().min(0.1).max(0.95).optional().meta({
      description: "Part of the context window from which on the older part is summed up. Default 0.8.",
    }),
    most: z.number().int().min(1000).optional().meta({
      description:
        "Tokens from which on it is summed up, however large the window is. Default: none, 150000 for agents.",
    }),
    model: z
      .string()
      .min(1)
      .optional()
      .meta({ description: "The model that writes summaries. Default: a cheap one of the same backend." }),
  })
  .meta({ description: "When and by whom a long conversation is summed up, within a run." });
export type Compaction = z.infer<typeof Compaction>;
