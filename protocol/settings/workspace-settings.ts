/** How agents answer in the threads of workspaces. */
import { z } from "zod";

const count = (description: string) => z.number().int().positive().max(1000).optional().meta({ description });

/** Longer pauses belong to a person who asks again. */
const longestRetrySeconds = 600;

export const WorkspaceSettings = z
  .strictObject({
    answer_timeout_seconds: z.number().positive().optional().meta({
      description:
        "How long an answer may take from the `start` of its run on, right before its first model call. What it waits for a provider's rate limit or for a person isn't counted. Default 120.",
    }),
    answers_in_a_row: count(
      "So many answers that began on each other, as in `@coder …, then @reviewer`, and then the next waits for a person to say something. Default 3.",
    ),
    tasks_at_once: count("So many answers are given at once in a thread; the others wait in order. Default 4."),
    tasks_at_once_in_workspace: count("The same of a workspace. Default 16."),
    retry_seconds: z
      .array(z.number().nonnegative().max(longestRetrySeconds))
      .max(20)
      .optional()
      .meta({ description: "Pauses between two tries of a model call that failed for now. Default [1, 5, 15]." }),
    summary_model: z
      .strictObject({
        backend: z.string().min(1).max(64).optional().meta({ description: "Its backend. Default: the usual one." }),
        model: z.string().min(1).max(200).meta({ description: "Its name." }),
      })
      .optional()
      .meta({
        description:
          "The model that sums up the older messages of a thread where they are too long. Default: the cheapest of those that the workspace's agents and `default_model` name.",
      }),
    context_windows: z
      .record(z.string(), z.int().positive())
      .optional()
      .meta({ description: "Tokens that a model takes, by its name, where the price list doesn't know it." }),
  })
  .meta({ description: "How agents answer in the threads of workspaces." });
export type WorkspaceSettings = z.infer<typeof WorkspaceSettings>;

/** Where the settings don't say. */
const usual = {
  answer_timeout_seconds: 120,
  answers_in_a_row: 3,
  tasks_at_once: 4,
  tasks_at_once_in_workspace: 16,
  retry_seconds: [1, 5, 15],
} as const satisfies WorkspaceSettings;

/** How answers are given. Which models there are is no matter of theirs. */
export type AnswerSettings = Required<Omit<WorkspaceSettings, "summary_model" | "context_windows">>;

/** The settings with what they don't say filled in. */
export const answerSettings = (settings: WorkspaceSettings = {}): AnswerSettings => ({
  ...usual,
  retry_seconds: [...usual.retry_seconds],
  ...settings,
});
