/** A persona's settings, `personas/<name>.json`, beside its instructions in `<name>.txt`. */
import { z } from "zod";
import { PermissionRules } from "./permissions.ts";
import { Handoff, Limits, Request, ToolsField } from "../runs/request/request.ts";

const flag = (description: string) => z.boolean().optional().meta({ description });

/** The handling of scheduled times that were missed, since nothing was running or a run took too long. */
const Missed = z
  .union([
    z.enum(["skip", "run-once"]),
    z.string().regex(/^run-within: *[1-9]\d{0,5}$/, 'expected "skip", "run-once" or "run-within: minutes"'),
    z.looseObject({ "run-within": z.number().positive() }),
  ])
  .meta({
    description:
      'Times that were missed: `"skip"`, `"run-once"` (default: the last of them; each day of a daily one) or `"run-within: 90"` (the same, if it is at most so many minutes late).',
    examples: ["run-once", "run-within: 90"],
  });

export const PersonaSettings = z
  .looseObject({
    title: z.string().optional().meta({ description: "Its name for people." }),
    description: z.string().optional().meta({ description: "The purpose of the persona, in a sentence." }),
    backend: Request.shape.backend,
    model: Request.shape.model,
    max_tokens: Request.shape.max_tokens,
    thinking_budget: Request.shape.thinking_budget,
    temperature: Request.shape.temperature,
    retry_seconds: Request.shape.retry_seconds,
    tools: ToolsField.optional(),
    disable_mcp: Request.shape.disable_mcp,
    sandbox: Request.shape.sandbox,
    network: Request.shape.network,
    folder: Request.shape.folder,
    worktree: Request.shape.worktree,
    permissions: PermissionRules.optional(),
    schedule: z.string().optional().meta({ description: '`"daily"`, or a cron expression of five fields.' }),
    missed: Missed.optional(),
    priority: Request.shape.priority,
    multi_facet: flag("Once for each facet that was active that day."),
    always: flag("With `multi_facet`: for every facet that isn't muted."),
    save: Request.shape.save,
    handoff: Handoff.optional().meta({ description: "The next request, once a run of it has finished." }),
    ...Limits.shape,
    text_is_reply: flag(
      "Whether the last text of a long-lived agent goes to the one who has written to it, unless it has called `reply` in that turn. For models that answer in plain text, as small ones do.",
    ),
    task: flag(
      "May be sent off by name, as a sub-agent of long-lived agents: `spawn_subagent` lists it with its description, and its text, tools, model and limits hold for the task.",
    ),
    disabled: flag("Not offered, and never run by a schedule."),
  })
  .meta({
    id: "Persona",
    title: "Persona settings",
    description: "`personas/<name>.json`. Every field is optional; the instructions stand in `<name>.txt`.",
    examples: [
      { title: "Reviewer", tools: "journal", timeout_seconds: 300 },
      { schedule: "daily", save: "digest.md" },
    ],
  });
export type PersonaSettings = z.infer<typeof PersonaSettings>;

/** A persona as loaded: its settings, its text, and where it came from. */
export type Persona = {
  name: string;
  instruction: string;
  settings: PersonaSettings;
  source: "built-in" | "journal" | `app:${string}`;
  path: string;
};
