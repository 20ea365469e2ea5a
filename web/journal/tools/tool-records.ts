/** Records of tools as the API gives them. */
import { z } from "zod";

export const Tool = z
  .object({
    name: z.string(),
    pack: z.string().nullable().meta({ description: "Its pack, or the external server or app that has it." }),
    title: z.string().nullable(),
    description: z.string(),
    schema: z.record(z.string(), z.unknown()).meta({ description: "The JSON Schema of its arguments." }),
    reads_only: z.boolean(),
  })
  .meta({ id: "Tool" });

export const Tools = z.object({
  items: z.array(Tool),
  next: z.null(),
  sources: z
    .array(
      z.object({
        name: z.string(),
        kind: z.enum(["server", "app"]),
        state: z.enum(["connecting", "ready", "failed"]),
        error: z.string().nullable(),
        problems: z.array(z.string()),
      }),
    )
    .meta({ description: "External servers and apps." }),
});

export const ToolCall = z.object({
  name: z.string().min(1).max(200),
  arguments: z.record(z.string(), z.unknown()).default({}),
});

export const ToolAnswer = z.object({
  is_error: z.boolean(),
  text: z.string().meta({ description: "The text that a model would read, cut at 200,000 characters." }),
  structured: z.record(z.string(), z.unknown()).nullable().meta({ description: "Long texts are cut." }),
});
