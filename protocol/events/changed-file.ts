/** A file that a run has changed in its worktree, as events and commands tell it. */
import { z } from "zod";

export const ChangedFile = z.object({
  path: z.string().meta({ description: "Relative to the folder." }),
  added: z.number().int().meta({ description: "Lines." }),
  removed: z.number().int().meta({ description: "Lines." }),
  status: z
    .enum(["added", "modified", "deleted", "renamed"])
    .meta({ description: "`renamed`: from `from`, and perhaps modified as well." }),
  from: z.string().optional().meta({ description: "The former name of the file." }),
  binary: z.boolean().optional().meta({ description: "It has no lines to be counted." }),
});
export type ChangedFile = z.infer<typeof ChangedFile>;
