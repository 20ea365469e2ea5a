/** Records of changes in worktrees as the API gives them. */
import { z } from "zod";
import { ChangedFile } from "../../../protocol/events/changed-file.ts";
import { worktreeId } from "../../../protocol/names/names.ts";
import { Time } from "../../../workspace/records/fields.ts";

export const ChangeId = z.string().regex(worktreeId);

export const ChangeRow = z
  .object({
    id: ChangeId.meta({ description: "That of the run or long-lived agent that works there." }),
    run: z.string().meta({ description: "The run that has worked there last." }),
    companion: z.string().nullable().meta({ description: "The long-lived agent, where it is one's." }),
    folder: z.string(),
    branch: z.string(),
    base: z.string(),
    state: z.enum(["open", "applied", "dropped", "conflict"]),
    files: z.array(ChangedFile),
    left_out: z.array(z.string()).meta({ description: "The paths that couldn't be taken." }),
    updated_at: Time,
  })
  .meta({ id: "ChangeRow" });
export type ChangeRow = z.infer<typeof ChangeRow>;

export const ChangeQuery = z.object({
  state: z.enum(["open", "applied", "dropped", "conflict"]).optional(),
});

export const Changes = z.object({ items: z.array(ChangeRow), next: z.null() });

export const ChangeDiff = z.object({
  change: ChangeRow,
  patch: z.string().nullable().meta({ description: "A unified diff; null: dropped, or it isn't there any more." }),
  cut: z.boolean().meta({ description: "It is longer: the file in the journal has all of it." }),
  file: z.string().nullable().meta({ description: "Relative to the journal." }),
});

export const ChangeComment = z.object({
  text: z.string().trim().min(1).max(20_000),
  path: z.string().min(1).max(4096).optional().meta({ description: "The file, as the changes name it." }),
  line: z.int().positive().optional().meta({ description: "Its line after the changes." }),
});

export const SentComment = z.object({
  run: z.string().nullable().meta({ description: "The run that goes on with it." }),
  companion: z.string().nullable().meta({ description: "The long-lived agent that it was sent to." }),
});
