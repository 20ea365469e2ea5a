/** Records of runs as the API gives them. */
import { z } from "zod";
import { ErrorReason } from "../../../protocol/events/error-reason.ts";
import { AgentId, isDay } from "../../../protocol/names/names.ts";
import { Page } from "../../../workspace/records/page.ts";
import { Time } from "../../../workspace/records/fields.ts";

export const RunState = z
  .enum(["queued", "running", "waiting", "finished", "failed", "cancelled", "orphaned"])
  .meta({ description: "`waiting`: for a person. `orphaned`: no cortex has it." });
export type RunState = z.infer<typeof RunState>;

export const RunDoing = z
  .object({
    kind: z.enum(["model", "tool", "waiting"]),
    tool: z.string().optional().meta({ description: "The tool of `tool`; of `waiting`, the one that asks." }),
    argument: z.string().optional().meta({ description: "The call's first argument, cut." }),
    since: Time,
  })
  .meta({ id: "RunDoing" });
export type RunDoing = z.infer<typeof RunDoing>;

/** A run in lists, and while it changes. Texts are the beginnings. */
export const RunRow = z
  .object({
    id: AgentId,
    state: RunState,
    reason: ErrorReason.nullable().meta({ description: "Why it failed." }),
    error: z.string().nullable().meta({ description: "The error that it failed with, the beginning." }),
    persona: z.string(),
    agent: z.string().nullable().meta({ description: "The long-lived agent whose turn it is." }),
    agent_name: z
      .string()
      .nullable()
      .meta({ description: "Its name; of a task's run that of the agent whose task it is." }),
    conversation: z.string().nullable().meta({ description: "The first run of what it continues, where it does." }),
    schedule: z.string().nullable().meta({ description: "The persona whose schedule asked for it." }),
    facet: z.string().nullable(),
    backend: z.string().nullable(),
    model: z.string().nullable(),
    prompt: z.string().meta({ description: "The first 300 characters." }),
    doing: RunDoing.nullable().meta({ description: "The work of a run in progress." }),
    last_text: z.string().nullable().meta({ description: "Its last words, or its result: the first 300 characters." }),
    cost_usd: z.number().nullable().meta({ description: "So far. Null: nothing of it is known." }),
    cost_is_estimate: z.boolean().meta({ description: "Part of the cost isn't known." }),
    input_tokens: z.number(),
    output_tokens: z.number(),
    attempt: z.int().meta({ description: "0: none has begun." }),
    requested_at: Time,
    started_at: Time.nullable(),
    ended_at: Time.nullable(),
    continue_from: AgentId.nullable(),
    handed_from: AgentId.nullable(),
    again_of: AgentId.nullable().meta({ description: "The run that it does once more." }),
    saved_as: z.string().nullable().meta({ description: "Relative to the journal." }),
    damaged: z.string().nullable().meta({ description: "Why its file can't be read, where it can't." }),
  })
  .meta({ id: "RunRow" });
export type RunRow = z.infer<typeof RunRow>;

/** A filter may be given once. */
const Name = z.string().min(1).max(200).optional();

export const RunQuery = Page.extend({
  state: z
    .string()
    .max(200)
    .refine(
      (text) => text.split(",").every((one) => RunState.safeParse(one).success),
      "expected states with commas between",
    )
    .optional()
    .meta({ description: "States, with commas between." }),
  persona: Name,
  agent: Name,
  backend: Name,
  model: Name,
  schedule: Name,
  day: z
    .string()
    .refine(isDay, "expected a date as YYYYMMDD")
    .optional()
    .meta({ description: "YYYYMMDD: asked for on that day." }),
  day_to: z
    .string()
    .refine(isDay, "expected a date as YYYYMMDD")
    .optional()
    .meta({ description: "YYYYMMDD: asked for on `day` or later, up to the end of this one." }),
  text: z
    .string()
    .max(500)
    .optional()
    .meta({ description: "Words of the prompt or the result, the last as its beginning." }),
});
export type RunQuery = z.infer<typeof RunQuery>;

export const RunList = z.object({
  items: z.array(RunRow),
  next: z.string().nullable().meta({ description: "The `cursor` of the next page; null: this is the last one." }),
  total: z
    .int()
    .nullable()
    .meta({ description: "How many there are with these filters; null: not all runs have been read yet." }),
});
export type RunList = z.infer<typeof RunList>;

export const RunNames = z.object({
  personas: z.array(z.string()),
  models: z.array(z.string()),
  backends: z.array(z.string()),
});
export type RunNames = z.infer<typeof RunNames>;

/** Another run that has to do with one. */
export const RunRelative = z
  .object({
    relation: z
      .enum(["continued_from", "continued_by", "handed_from", "handed_to", "task_of", "task", "again_of", "again_by"])
      .meta({
        description: "The relation to `of`. `task_of`: the turn that sent it off; `again_by`: does it once more.",
      }),
    of: AgentId.meta({ description: "The run that it is related to: this one, or another of the family." }),
    level: z.int().meta({ description: "Below 0: this run came of it, -1 the nearest; above: it came of this run." }),
    run: RunRow,
  })
  .meta({ id: "RunRelative" });

export const Run = RunRow.extend({
  request: z.record(z.string(), z.unknown()).meta({ description: "As it was asked for; secrets and long texts cut." }),
  result: z.string().nullable().meta({ description: "The answer, the first 100,000 characters." }),
  lines: z.int().meta({ description: "How many lines its file has." }),
  file: z
    .string()
    .nullable()
    .meta({ description: "Relative to the journal; null: it has none yet, or none any more." }),
  worker: z.string().nullable().meta({ description: "The cortex that took it up again last, where one did." }),
  family: z.array(RunRelative).meta({
    description:
      "The runs that it came of, the nearest first; then those that came of it, each before those that came of that.",
  }),
  family_is_whole: z.boolean().meta({ description: "`false`: more came of it than is told, or it goes deeper." }),
}).meta({ id: "Run" });
export type Run = z.infer<typeof Run>;

export const RunEvent = z
  .looseObject({
    event: z.string(),
    ts: z.number(),
    seq: z.int().meta({ description: "The line's number, from 1; 0: it stands in no file." }),
    cut: z.boolean().optional().meta({ description: "Long texts were cut: `run.raw` has the line." }),
  })
  .meta({ id: "RunEvent", description: "A line of a run's file: docs/protocol.md." });

const mostEvents = 1000;

export const EventsQuery = z.object({
  after: z.coerce.number().int().min(0).default(0).meta({ description: "The number of the last line that is known." }),
  limit: z.coerce.number().int().min(1).max(mostEvents).default(200),
});

export const RunEvents = z.object({
  items: z.array(RunEvent),
  next: z.int().nullable().meta({ description: "`after` of the next page; null: the file has no more now." }),
  ended: z.boolean().meta({ description: "Nothing is written to the file any more." }),
});

export const LineQuery = z.object({ line: z.coerce.number().int().min(1).meta({ description: "The line's number." }) });
export const RawLine = z.object({ line: z.int(), text: z.string() });

export const RunPrompt = z
  .object({
    instruction: z
      .string()
      .nullable()
      .meta({ description: "The persona with its folder's notes, or the agent's own; null: it isn't known." }),
    context: z.string().nullable().meta({ description: "The context of the run: the day and time, the facet." }),
    origin: z.enum(["sent", "rebuilt", "unknown"]).meta({
      description:
        "`sent`: noted when the run began. `rebuilt`: what its request and persona say by now, since another host or an older cortex began it, or it hasn't begun.",
    }),
    messages: z
      .array(
        z.looseObject({
          role: z.string(),
          text: z.string().optional(),
          calls: z.array(z.unknown()).optional(),
          result: z.unknown().optional(),
        }),
      )
      .meta({ description: "The conversation before the prompt, oldest first; long texts are cut." }),
    is_whole: z.boolean().meta({ description: "`false`: older messages aren't given here." }),
    prompt: z.string(),
  })
  .meta({ id: "RunPrompt" });
export type RunPrompt = z.infer<typeof RunPrompt>;

export const SharedRun = z.object({
  name: z.string().meta({ description: "For the file." }),
  html: z
    .string()
    .meta({ description: "A page that loads nothing and runs nothing. Secrets and home folders are replaced." }),
});
export type SharedRun = z.infer<typeof SharedRun>;
