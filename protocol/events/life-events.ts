/** Shapes of the events of a run's life: its beginning, its end, and what follows the end. */
import { z } from "zod";
import { AgentId } from "../names/names.ts";
import { ChangedFile } from "./changed-file.ts";
import { ErrorReason } from "./error-reason.ts";
import { count, inputs, parts, text } from "./event-fields.ts";
import { Usage } from "./usage.ts";

/** A run begins, or is taken up again. */
export const startEvents = {
  request: z
    .looseObject({
      prompt: text("The prompt of the request. Every other field of the request stands here too."),
      parts,
    })
    .meta({
      description: "The request as received: the first line.",
      examples: [{ prompt: "hello", persona: "default" }],
    }),
  start: z
    .looseObject({
      persona: text("The persona that answers.").optional(),
      backend: text("The backend that runs it.").optional(),
      model: z.string().nullable().optional().meta({ description: "The model, where the backend has one." }),
      prompt: text("The prompt of the agent.").optional(),
      parts,
      attempt: z
        .number()
        .int()
        .positive()
        .optional()
        .meta({ description: "Which attempt of the run this is, from 1." }),
      folder: text("The folder of the user's that it works in, where it has one: a real path.").optional(),
      worktree: text("It works in a worktree of that folder: which, below `worktrees/` of the journal.").optional(),
    })
    .meta({
      description: "The subprocess is at work: its first model call follows as soon as its tools are there.",
      examples: [{ persona: "default", backend: "offline", model: "extractive", prompt: "hello", attempt: 1 }],
    }),
  adopted: z
    .looseObject({ worker: text("The cortex that took the run up again.") })
    .meta({ description: "A restarted cortex took the living run up again.", examples: [{ worker: "laptop-4242" }] }),
} as const;

/** A run ends, and what cortex does with it afterwards. */
export const endEvents = {
  finish: z
    .looseObject({
      result: text("The answer."),
      usage: Usage.optional().meta({ description: "Totals of the run." }),
      inputs,
      handoff: z.record(z.string(), z.unknown()).optional().meta({
        description:
          "The next request, as the agent wants it: `persona`, `prompt`, `backend`, `model`, `save`, `day`, `facet`.",
      }),
    })
    .meta({
      description: "The run succeeded. Terminal.",
      examples: [{ result: "Nothing found.", usage: { input_tokens: 812, output_tokens: 64, cost_usd: null } }],
    }),
  error: z
    .looseObject({
      error: text("The failure, with the value that caused it, and what to do."),
      reason: ErrorReason.optional().meta({ description: "Its kind." }),
      detail: text(
        "The exact failure, for programs. `source_missing`: a run of the chain that `continue_from` begins isn't there. Of a provider: `too_long` (the conversation), `unavailable`, `rate_limited`, `rejected` (the request, by what was set up: its model, for example), `unreadable` (what came is no answer), `empty` (the answer), `cut_off` (at its limit of tokens), `turn_limit` (it wasn't done after as many model calls as it may make), `refused`.",
      ).optional(),
      trace: text("The end of stderr, or a stack.").optional(),
      exit_code: z.number().int().nullable().optional().meta({ description: "The subprocess's exit code." }),
      terminal: z.boolean().optional().meta({ description: "`false`: the run goes on." }),
    })
    .meta({
      description: "The run failed. Terminal, unless `terminal` is `false`.",
      examples: [{ error: "exited with code 3", reason: "crash", trace: "boom\n", exit_code: 3 }],
    }),
  changes: z
    .looseObject({
      files: z.array(ChangedFile).meta({ description: "The changed files, by path; at most 500." }),
      more: count("How many files more there are.").optional(),
      patch: text("The file with all of it, relative to the journal: as `git diff --binary` writes it.").optional(),
      branch: text("The branch with it in the folder's repository."),
      base: text("The commit that it is compared with."),
      left_out: z.array(z.string()).optional().meta({
        description: "Paths that weren't taken: repositories in it, files of more than 100 MiB or that can't be read.",
      }),
      error: text("Why it couldn't be found out what was changed.").optional(),
    })
    .meta({
      description: "The changes of a run in its worktree. After the terminal event.",
      examples: [
        {
          files: [{ path: "src/sum.js", added: 1, removed: 1, status: "modified" }],
          patch: "worktrees/1736380800000/changes.patch",
          branch: "cortex/1736380800000",
          base: "8c1f0d5e9b6a4c7d8e2f3a4b5c6d7e8f9a0b1c2d",
        },
      ],
    }),
  saved: z
    .looseObject({ path: text("The file, relative to the journal.") })
    .meta({ description: "The result was saved. After `finish`.", examples: [{ path: "20250109/digest.md" }] }),
  save_failed: z.looseObject({ error: text("Why.") }).meta({
    description: "The result could not be saved. After `finish`.",
    examples: [{ error: "no space left on device" }],
  }),
  handoff: z
    .looseObject({ to: AgentId.meta({ description: "The child's id." }) })
    .meta({ description: "The run handed on. After `saved`.", examples: [{ to: "1736380800777" }] }),
  continue: z.looseObject({ to: AgentId.meta({ description: "The later run's id." }) }).meta({
    description: "A later run continues from this one. Appended to the ended file.",
    examples: [{ to: "1736380900000" }],
  }),
} as const;
