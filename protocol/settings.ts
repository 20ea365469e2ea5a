/** The settings of a journal, `cortex.json`. Unknown keys are warned about, never fatal. */
import { z } from "zod";
import { namePattern } from "./names.ts";
import { Limits } from "./request.ts";

const seconds = (description: string) => z.number().positive().optional().meta({ description });

/** A backend that the user declares: any program that reads a line of JSON and writes events. */
export const DeclaredBackend = z.looseObject({
  command: z.array(z.string().min(1)).min(1).meta({ description: "The program and its arguments." }),
  env: z.record(z.string(), z.string()).optional().meta({ description: "Environment that its runs get." }),
});
export type DeclaredBackend = z.infer<typeof DeclaredBackend>;

export const Settings = z
  .looseObject({
    $schema: z.string().optional().meta({ description: "For editors: the path of `docs/schema/settings.json`." }),
    default_backend: z
      .string()
      .optional()
      .meta({ description: "Absent: the first whose key is present, else offline." }),
    default_model: z.record(z.string(), z.string()).optional().meta({ description: "The model of each backend." }),
    openai: z
      .looseObject({
        api: z
          .enum(["responses", "chat"])
          .optional()
          .meta({ description: "Which API. Default: `chat` where `OPENAI_BASE_URL` isn't OpenAI's own." }),
      })
      .optional()
      .meta({ description: "The `openai` backend." }),
    max_concurrent: z
      .number()
      .int()
      .positive()
      .optional()
      .meta({ description: "How many runs at once. Default: twice the number of cores." }),
    max_queued: z.number().int().positive().optional().meta({ description: "How many may wait. Default 10000." }),
    limits: Limits.optional().meta({ description: "Limits of runs that set none." }),
    max_attempts: Limits.shape.max_attempts,
    stop_grace_seconds: seconds("How long `cortex up` lets runs finish when it is stopped. Default 30."),
    orphan_grace_seconds: seconds("How long a run goes on without a living cortex. Default 120."),
    backends: z
      .record(z.string().regex(namePattern), DeclaredBackend)
      .optional()
      .meta({ description: "Backends of your own, by name." }),
    mcp: z
      .looseObject({
        port: z
          .number()
          .int()
          .min(0)
          .max(65535)
          .optional()
          .meta({ description: "Its port; 0: any free one. Default 6270." }),
      })
      .optional()
      .meta({ description: "The MCP server." }),
    mcp_servers: z
      .record(
        z.string(),
        z.looseObject({
          url: z.url().optional().meta({ description: "A server that speaks streamable HTTP." }),
          command: z.array(z.string()).optional().meta({ description: "A program that speaks MCP on stdio." }),
        }),
      )
      .optional()
      .meta({ description: "MCP servers of your own, by name." }),
    schedules: z.record(z.string(), z.boolean()).optional().meta({ description: "Built-in schedules to turn on." }),
    retention: z.looseObject({}).optional().meta({ description: "How long ended runs are kept." }),
    agents: z.looseObject({}).optional().meta({ description: "Agents that live on." }),
    channels: z.looseObject({}).optional().meta({ description: "Channel adapters, by type." }),
  })
  .meta({
    id: "Settings",
    title: "Settings",
    description: "`cortex.json` in the journal.",
    examples: [
      { default_backend: "offline", max_concurrent: 8 },
      {
        limits: { timeout_seconds: 300, max_cost_usd: 1 },
        backends: { echo: { command: ["python3", "echo.py"] } },
        mcp: { port: 6270 },
      },
    ],
  });
export type Settings = z.infer<typeof Settings>;
