/** The settings of a journal, `cortex.json`. A key that nobody knows is refused when they are read: see unknown-keys.ts. */
import { z } from "zod";
import { AgentsSettings, ChannelsSettings } from "../agents/agents-settings.ts";
import { Budgets } from "./budgets.ts";
import { DeclaredBackend, declarationProblem, programNetwork } from "./declared-backend.ts";
import { namePattern } from "../names/names.ts";
import { GatewaySettings } from "./parts/gateway-settings.ts";
import { OpenaiSettings } from "./parts/openai-settings.ts";
import { packs } from "./packs.ts";
import { PermissionRules } from "./permissions.ts";
import { Compaction, ContextWindows } from "../runs/compaction.ts";
import { Network } from "../runs/request/network.ts";
import { SandboxKeys } from "./sandbox-keys.ts";
import { ProgramSandbox, SandboxMode } from "../runs/request/sandbox-mode.ts";
import { Limits } from "../runs/request/request.ts";
import { PushSettings } from "./parts/push-settings.ts";
import { TelemetrySettings } from "./parts/telemetry-settings.ts";
import { WebSearchSettings } from "./parts/web-search.ts";
import { WorkspaceSettings } from "./workspace-settings.ts";

const seconds = (description: string) => z.number().positive().optional().meta({ description });

/** An MCP server that the user declares: one that listens somewhere, or a program that is started here. */
export const McpServer = z
  .looseObject({
    url: z
      .url({ protocol: /^https?$/, error: "expected an http or https address" })
      .optional()
      .meta({ description: "Where a server listens that speaks streamable HTTP." }),
    headers: z
      .record(z.string(), z.string())
      .optional()
      .meta({ description: "Headers of every request to that address, such as Authorization." }),
    command: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .meta({ description: "A program that speaks MCP on stdio, and its arguments." }),
    env: z
      .record(z.string(), z.string())
      .optional()
      .meta({ description: "Environment of that program, beside PATH, HOME and the like." }),
    cwd: z.string().min(1).optional().meta({ description: "Its folder. Default: the journal." }),
    protocol: z.enum(["2025-11-25", "2026-07-28"]).optional().meta({
      description:
        "The version of MCP that the program is greeted in first, and the other where it refuses. One that speaks both can ask for forms by 2026-07-28 alone. Default: 2025-11-25.",
    }),
    timeout_seconds: seconds("How long a call of one of its tools may take. Default 120."),
    sandbox: ProgramSandbox.optional(),
    network: programNetwork,
  })
  .superRefine(({ url, headers, command, env, cwd, protocol, sandbox }, context) => {
    const says = (message: string, ...path: string[]) => context.addIssue({ code: "custom", message, path });
    if (url === undefined && command === undefined) says("expected one of url and command", "url");
    if (url !== undefined && command !== undefined) says("expected one of url and command, not both", "command");
    if (url === undefined && headers !== undefined) says("expected only together with url", "headers");
    if (command === undefined && env !== undefined) says("expected only together with command", "env");
    if (command === undefined && cwd !== undefined) says("expected only together with command", "cwd");
    if (command === undefined && protocol !== undefined) says("expected only together with command", "protocol");
    if (command === undefined && sandbox !== undefined) says("expected only together with command", "sandbox");
  });
export type McpServer = z.infer<typeof McpServer>;

/** How an app of the journal is run. */
export const AppSettings = z.looseObject({ sandbox: ProgramSandbox.optional(), network: programNetwork });
export type AppSettings = z.infer<typeof AppSettings>;

/** Names that mean something else where a persona names its tools. */
const takenNames = new Set(["default", "apps", ...Object.keys(packs)]);

const serverName = z
  .string()
  .regex(namePattern)
  .refine((name) => !takenNames.has(name), "expected another name: a pack of tools has this one");

const days = (description: string) => z.number().int().positive().optional().meta({ description });

/** How long ended runs are kept. Strict: a key that is misspelt must not delete, nor keep, what it wasn't meant to. */
export const Retention = z
  .strictObject({
    compress_after_days: days("The file of a run that ended so long ago becomes a `.jsonl.gz`. Absent: never."),
    delete_after_days: days(
      "The file of a run that ended so long ago is deleted, and so is a stored file that nothing has used since nor names. Absent: never.",
    ),
  })
  .meta({ description: "The retention of ended runs' files, applied once a day. Absent: they are kept as they are." });
export type Retention = z.infer<typeof Retention>;

export const Durability = z.enum(["fast", "safe"]).meta({
  description:
    "`safe`: a claim and a terminal event are on the disk before anybody hears of them, the rest within 50 ms. `fast`: a run's file is, when it has ended. Default `safe`; then the bus of `cortex up` has on the disk what it acknowledges, where that can be.",
});
export type Durability = z.infer<typeof Durability>;

export const SaveConflict = z.enum(["fail", "beside"]).meta({
  description:
    "How `save` handles a file of that name that no run has saved, or that was changed since. `fail`: it stays, and the run says `save_failed`; `beside`: the result goes under a name beside it, such as `digest-2.md`. Default `fail`.",
});
export type SaveConflict = z.infer<typeof SaveConflict>;

/** The bus of a journal, as other hosts see it. */
export const BusSettings = z.looseObject({
  listen: z
    .string()
    .regex(/^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+):\d{1,5}$/)
    .optional()
    .meta({
      description: "`address:port` for workers on other hosts; `0.0.0.0` is all addresses. Default: this host alone.",
    }),
  tls: z
    .looseObject({
      cert: z.string().min(1).meta({ description: "The server's certificate, a file." }),
      key: z.string().min(1).meta({ description: "Its key, a file." }),
      ca: z.string().min(1).meta({ description: "The certificate of whoever signed it, a file." }),
    })
    .optional()
    .meta({
      description: "Encryption; needed to listen beyond this host. Paths are absolute or relative to the journal.",
    }),
  workers: z
    .array(
      z.looseObject({
        name: z.string().regex(namePattern).meta({ description: "The name that you give it." }),
        nkey: z
          .string()
          .regex(/^U[A-Z2-7]{55}$/)
          .meta({ description: "The public half of its key, as `cortex up --join` prints it." }),
      }),
    )
    .max(256)
    .optional()
    .meta({ description: "The workers that may join." }),
  replicas: z
    .number()
    .int()
    .min(1)
    .max(5)
    .optional()
    .meta({ description: "On how many servers of a cluster everything is kept. Default 1; 3 for a cluster of three." }),
  mirror: z
    .boolean()
    .optional()
    .meta({ description: "Keep the files of all workers' runs here. Default: where the bus is this journal's own." }),
});
export type BusSettings = z.infer<typeof BusSettings>;

/** The limits of the files that are taken. Strict: a limit that is misspelt would be none. */
export const AttachmentSettings = z
  .strictObject({
    max_mb: z.number().positive().max(1024).optional().meta({ description: "Most MiB of one file. Default 25." }),
    kinds: z
      .array(
        z.string().regex(/^[a-z]{1,20}\/[a-z0-9.+*-]{1,100}$/, "expected a media type, such as image/png or image/*"),
      )
      .optional()
      .meta({
        description:
          "The media types that are taken, by content: `image/png`, `image/*`. Default: text, images, sound, video, PDF, JSON, zip and office documents.",
      }),
  })
  .meta({ description: "Files that are handed to runs and agents." });

export const Settings = z
  .looseObject({
    $schema: z.string().optional().meta({ description: "For editors: the path of `docs/schema/settings.json`." }),
    default_backend: z.string().optional().meta({
      description: "The backend of runs that name none. Absent: the first whose key is present, else offline.",
    }),
    default_model: z.record(z.string(), z.string()).optional().meta({ description: "The model of each backend." }),
    openai: OpenaiSettings.optional().meta({ description: "The `openai` backend." }),
    max_concurrent: z.number().int().positive().optional().meta({
      description: "How many runs at once, beside those that wait for a person. Default: twice the number of cores.",
    }),
    max_concurrent_total: z
      .number()
      .int()
      .positive()
      .optional()
      .meta({ description: "How many runs at once on all workers of the bus together. Default: no limit of its own." }),
    labels: z
      .array(z.string().regex(namePattern))
      .max(32)
      .optional()
      .meta({ description: "The labels of this worker, for requests that ask for them." }),
    lease_seconds: seconds(
      "After so much silence a worker counts as gone, and others take what it hadn't started. Default 30.",
    ),
    bus: BusSettings.optional().meta({ description: "The bus, when it is shared with other hosts." }),
    max_warm: z.number().int().nonnegative().optional().meta({
      description:
        "How many processes may wait for a run, started ahead: as many do as runs began at once lately. Default: `max_concurrent`, as far as an eighth of the memory goes.",
    }),
    max_queued: z.number().int().positive().optional().meta({ description: "How many may wait. Default 10000." }),
    limits: Limits.optional().meta({ description: "Limits of runs that set none." }),
    budgets: Budgets.optional().meta({ description: "The usage that all runs of a day may have together." }),
    max_attempts: Limits.shape.max_attempts,
    stop_grace_seconds: seconds("How long `cortex up` lets runs finish when it is stopped. Default 30."),
    orphan_grace_seconds: seconds("How long a run goes on without a living cortex. Default 120."),
    backends: z
      .record(z.string().regex(namePattern), DeclaredBackend)
      .superRefine((declared, context) => {
        for (const [name, backend] of Object.entries(declared)) {
          const message = declarationProblem(name, backend);
          if (message !== null) context.addIssue({ code: "custom", message, path: [name] });
        }
      })
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
    gateway: GatewaySettings.optional(),
    mcp_servers: z.record(serverName, McpServer).optional().meta({ description: "MCP servers of your own, by name." }),
    web_search: WebSearchSettings.optional(),
    apps: z
      .record(z.string().regex(namePattern), AppSettings)
      .optional()
      .meta({ description: "How apps are run, by name." }),
    permissions: PermissionRules.optional(),
    sandbox: SandboxMode.optional(),
    network: Network.optional(),
    sandbox_keys: SandboxKeys.optional(),
    folders: z.array(z.string().regex(/^\//, "expected an absolute path")).max(256).optional().meta({
      description:
        "Where runs may work: folders that a request or persona may name in `folder`, or one in them. Absolute paths. Default: none.",
    }),
    permission_timeout_seconds: seconds(
      "How long a call waits for a person who is asked about it. Default 300, in the turns of long-lived agents 86400.",
    ),
    loop_limit: z.number().int().min(2).max(1000).optional().meta({
      description:
        "So many equal tool calls of a run in a row are a loop, and so are the same two to four calls three times: somebody is asked whether it may go on, or the run ends, reason `loop`. Default 5.",
    }),
    context_window: ContextWindows.optional(),
    compaction: Compaction.optional(),
    continue_cut_answers: z.boolean().optional().meta({
      description:
        "Whether an answer that is cut off at its limit of tokens is gone on with, once. Default `true`; backends with a loop of their own do as they do.",
    }),
    schedules: z.record(z.string(), z.boolean()).optional().meta({ description: "Built-in schedules to turn on." }),
    attachments: AttachmentSettings.optional(),
    retention: Retention.optional(),
    durability: Durability.optional(),
    save_conflict: SaveConflict.optional(),
    min_free_bytes: z
      .number()
      .int()
      .nonnegative()
      .optional()
      .meta({ description: "Free space of the journal's disk below which requests are refused. Default 256 MiB." }),
    agents: AgentsSettings.optional().meta({ description: "Long-lived agents." }),
    channels: ChannelsSettings.optional().meta({ description: "Channel adapters, by type." }),
    workspace: WorkspaceSettings.optional(),
    push: PushSettings.optional(),
    telemetry: TelemetrySettings.optional(),
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
