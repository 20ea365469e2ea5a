/** The schema of a request on `cortex.request`, and the parts that personas and settings share with it. */
import { z } from "zod";
import { AttachmentRefs } from "../../files/attachment.ts";
import { AgentId, namePattern, worktreeId } from "../../names/names.ts";
import { Conversation } from "./conversation.ts";
import { Network } from "./network.ts";
import { SandboxMode } from "./sandbox-mode.ts";
import { Trust } from "./trust.ts";

const positive = (description: string) => z.number().positive().meta({ description });
const positiveInteger = (description: string) => z.number().int().positive().meta({ description });

/**
 * Limits of a run. A persona, the settings and a request may all set them; they never rise along a chain of handoffs. What
 * the settings say of the machine's resources (memory, processes, files, CPU) nobody can raise, only lower.
 */
export const Limits = z.looseObject({
  timeout_seconds: positive("Wall clock of a run, in seconds. Default 600.").optional(),
  idle_timeout_seconds: positive("Longest silence on stdout, in seconds. Default 180.").optional(),
  max_cost_usd: positive(
    "Most that the run, what it hands off to and whom it sends off may cost, in US dollars.",
  ).optional(),
  max_total_tokens: positiveInteger(
    "Most tokens that the run, what it hands off to and whom it sends off may use.",
  ).optional(),
  max_output_bytes: positiveInteger(
    "Most bytes that an attempt's process may print, and that the run's file may have. Default 1 GiB.",
  ).optional(),
  max_total_turns: positiveInteger(
    "Most model calls that the run, what it hands off to and whom it sends off may make.",
  ).optional(),
  max_total_seconds: positive(
    "Longest that the run, what it hands off to and whom it sends off may run, added up.",
  ).optional(),
  max_turns: positiveInteger("Most model calls with tools. Default 50.").optional(),
  max_attempts: positiveInteger("How often a lost run is started, the first time included. Default 3.").optional(),
  max_memory_mb: positiveInteger(
    "Most memory of all its processes together, in MiB. Default: half of the machine's.",
  ).optional(),
  max_processes: positiveInteger("Most processes and threads at once. Default 1024.").optional(),
  max_open_files: positiveInteger("Most open files of each of its processes. Default 4096.").optional(),
  max_cpu_seconds: positiveInteger("Most CPU time of all its processes together, in seconds.").optional(),
});
export type Limits = z.infer<typeof Limits>;

/** Longer waits between model calls than a run lasts by default, and more of them than any run has time for. */
const [mostRetries, longestWait] = [20, 600];

/** The fields that tell a backend about the model. */
const ModelFields = {
  backend: z.string().optional().meta({ description: "The backend; absent: the persona's, else the default." }),
  model: z.string().min(1).optional().meta({ description: "The model; absent: the persona's, else the backend's." }),
  max_tokens: positiveInteger("Most tokens of one answer.").optional(),
  thinking_budget: z.number().int().nonnegative().optional().meta({ description: "Tokens for reasoning." }),
  temperature: z.number().min(0).optional().meta({ description: "Sampling temperature." }),
  mode: z.string().min(1).max(200).optional().meta({
    description: "Of a coding agent that is reached by ACP: the mode in which it works, by its id or name.",
  }),
  effort: z.string().min(1).max(200).optional().meta({
    description: "Of a coding agent that is reached by ACP: how much it reasons, by its own word, such as `high`.",
  }),
  retry_seconds: z
    .array(z.number().min(0).max(longestWait))
    .max(mostRetries)
    .optional()
    .meta({
      description:
        "How long to wait before each further attempt of a model call that failed, in seconds, in place of the usual seven waits. A rate limit whose end the provider names is waited out beside them.",
      examples: [[1, 5, 15]],
    }),
};

/** Packs, as in `"journal, todo"`, or the names of tools. */
export const ToolsField = z.union([z.string(), z.array(z.string())]).meta({
  description:
    'Packs, `"journal, todo"`, among them external servers and apps, and single tools of these, `"server.tool"`; or an array of tool names. A name that nothing has ends the run with reason `config`.',
  examples: ["journal", "todo, tracker.search", ["search_journal"]],
});

// Names may be any text here: one that nothing has is a run that ends in an error, not a refusal.
const shared = {
  ...ModelFields,
  ...Limits.shape,
  persona: z.string().optional().meta({ description: "The persona. Default `default`." }),
  tools: ToolsField.optional(),
  disable_mcp: z.boolean().optional().meta({ description: "No tools at all." }),
  mcp_server_url: z.url().optional().meta({ description: "An MCP server instead of the built-in one." }),
  sandbox: SandboxMode.optional(),
  network: Network.optional(),
  folder: z.string().min(1).max(4096).optional().meta({
    description:
      "The folder where the run works, absolute: one that settings name in `folders`, or one in such a folder. Its AGENTS.md and CLAUDE.md are read into the instruction. Default: that of the run that it continues or was handed on by, else an empty one of its own.",
  }),
  worktree: z.boolean().optional().meta({
    description:
      "Work in a Git worktree of `folder`, on a branch of the run's own: the folder stays as it is until `cortex changes apply`. Default: as the run that it continues or was handed on by, else false.",
  }),
  facet: z.string().optional().meta({ description: "A facet, as context." }),
  save: z.string().optional().meta({ description: "Write the result to `<journal>/<day>/<save>`." }),
  day: z.string().optional().meta({ description: "YYYYMMDD. Default: the local day of `ts`." }),
  priority: z.number().int().optional().meta({ description: "Lower starts first when runs wait. Default 50." }),
  labels: z
    .array(z.string().regex(namePattern))
    .max(32)
    .optional()
    .meta({ description: "The labels that a worker must have in its settings to run it." }),
  env: z
    .record(z.string(), z.string())
    .optional()
    .meta({ description: 'Extra environment of the subprocess. Its values are `"***"` in every log and event.' }),
  stream: z.boolean().optional().meta({ description: "Also publish `text_delta` events." }),
  record: z.boolean().optional().meta({
    description:
      "Keep each request to a model that goes through the gateway, and its answer, as `runs/<day>/<agent_id>.calls/<n>.json`.",
  }),
};

/** The next request, started when a run has finished: any field of a request, except its identity. */
export const Handoff = z
  .looseObject({
    ...shared,
    prompt: z.string().optional().meta({ description: "Absent: the result of the run that hands off." }),
    attachments: AttachmentRefs.optional(),
    get handoff(): z.ZodOptional<z.ZodType<Record<string, unknown>>> {
      return Handoff.optional();
    },
  })
  .meta({
    id: "Handoff",
    description: "The next request, started when the run has finished.",
    examples: [{ persona: "reviewer", prompt: "Review the analysis." }],
  });
export type Handoff = z.infer<typeof Handoff>;

/** A request as it arrives on `cortex.request`, after nulls are dropped. Whatever else it holds goes to the backend. */
export const Request = z
  .looseObject({
    event: z.literal("request").optional().meta({ description: "Optional on the way in." }),
    ts: z
      .number()
      .int()
      .min(1_000_000_000_000)
      .max(9_999_999_999_999)
      .optional()
      .meta({ description: "The run's id, in ms. Absent: cortex assigns the next free one." }),
    agent_id: AgentId.optional().meta({ description: "Where given, the same digits as `ts`." }),
    prompt: z
      .string()
      .refine((text) => text.trim() !== "", "expected text, not blank")
      .meta({ description: "The prompt of the agent." }),
    attachments: AttachmentRefs.optional(),
    ...shared,
    continue_from: z
      .string()
      .optional()
      .meta({ description: "Go on from that run's conversation, and all behind it." }),
    conversation: Conversation.optional(),
    handoff: Handoff.optional().meta({ description: "The next request, once this run has finished." }),
    instruction: z.string().min(1).optional().meta({
      description: "The instruction of a turn, or of a run with `conversation`, instead of the persona's text.",
    }),
    agent: z.string().optional().meta({ description: "The long-lived agent whose turn the run is." }),
    agent_history: z.boolean().optional().meta({
      description:
        "Go on from the agent's `history.jsonl`, where the worker has it, rather than from the files of `continue_from`. Set by the service of the long-lived agents.",
    }),
    work_of: z.string().regex(worktreeId).optional().meta({
      description: "The long-lived agent whose worktree a turn of a task shares.",
    }),
    watched: z.boolean().optional().meta({
      description:
        "Somebody follows the run and can be asked, as `cortex-request` says. A run that nobody watches ends, reason `loop`, where it would be asked about repeating itself.",
    }),
    trust: Trust.optional().meta({
      description:
        "The calls of a workspace's agent that wait for a person beside those that the rules ask about. It holds for what the run hands off to, too.",
    }),
    handoff_from: AgentId.optional().meta({ description: "Set by cortex on the child of a handoff." }),
    schedule: z.string().max(200).optional().meta({
      description: "Set by the scheduler: the persona whose schedule asks.",
    }),
    again_of: AgentId.optional().meta({ description: "The run that this one does once more." }),
  })
  .refine(
    (request) => request.agent_id === undefined || request.ts === undefined || request.agent_id === String(request.ts),
    {
      path: ["agent_id"],
      message: "expected the same digits as ts",
    },
  )
  .refine((request) => request.conversation === undefined || request.continue_from === undefined, {
    path: ["conversation"],
    message: "expected either conversation or continue_from: a run's conversation is in its file",
  })
  .meta({
    id: "Request",
    title: "Request",
    description:
      "The request that is published on `cortex.request`. `null` means absent. Unknown fields pass through to the backend.",
    examples: [
      { prompt: "What did I decide about the garden?" },
      {
        ts: 1736380800000,
        prompt: "Summarise the week",
        persona: "default",
        backend: "offline",
        save: "summary.md",
        day: "20250109",
        handoff: { persona: "reviewer" },
      },
    ],
  });
export type Request = z.infer<typeof Request>;

/** The priority of requests that name none. */
export const defaultPriority = 50;

/** The fields that the protocol knows: others pass through, and are named in an `info` event. */
export const requestFields: ReadonlySet<string> = new Set(Object.keys(Request.shape));
