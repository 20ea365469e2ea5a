/** A persona's settings, `personas/<name>.json`, beside its instructions in `<name>.txt`. */
import { z } from "zod";
import { Handoff, Limits, Request, ToolsField } from "./request.ts";

const flag = (description: string) => z.boolean().optional().meta({ description });

export const PersonaSettings = z
  .looseObject({
    title: z.string().optional().meta({ description: "Its name for people." }),
    description: z.string().optional().meta({ description: "What it is for, in a sentence." }),
    backend: Request.shape.backend,
    model: Request.shape.model,
    max_tokens: Request.shape.max_tokens,
    thinking_budget: Request.shape.thinking_budget,
    temperature: Request.shape.temperature,
    tools: ToolsField.optional(),
    disable_mcp: Request.shape.disable_mcp,
    schedule: z.string().optional().meta({ description: '`"daily"`, or a cron expression of five fields.' }),
    priority: Request.shape.priority,
    multi_facet: flag("Once for each facet that was active that day."),
    always: flag("With `multi_facet`: for every facet that isn't muted."),
    save: Request.shape.save,
    handoff: Handoff.optional().meta({ description: "The next request, once a run of it has finished." }),
    ...Limits.shape,
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
