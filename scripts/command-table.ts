/** The commands: the summary of each, and its file, which is imported when the command is asked for. */
import type { Command } from "./command/command.ts";
import type { CommandName } from "./command/command-names.ts";

export type Entry = {
  summary: string;
  load: () => Promise<{ command: Command }>;
  /** It moves the cursor itself, and cleans what it shows (`cleaned` in proc/logging/terminal.ts). */
  drawsItself?: true;
};

export const commands: Record<string, Entry> = {
  up: { summary: "start the bus, cortex and the tools, and keep them running", load: () => import("./commands/up.ts") },
  down: { summary: "stop the programs on this journal", load: () => import("./commands/down.ts") },
  status: { summary: "show what is running", load: () => import("./commands/status.ts") },
  logs: { summary: "show and follow the programs' logs", load: () => import("./commands/logs.ts") },
  request: { summary: "ask an agent and wait for its answer", load: () => import("./commands/request.ts") },
  runs: { summary: "list, show, follow, cancel, close, prune runs", load: () => import("./commands/runs.ts") },
  audit: { summary: "find changes to runs' files", load: () => import("./commands/audit.ts") },
  chat: {
    summary: "talk with a long-lived agent",
    load: () => import("./commands/chat.ts"),
    drawsItself: true,
  },
  agents: { summary: "long-lived agents: list, show, reset, compact", load: () => import("./commands/agents.ts") },
  tasks: { summary: "show and resume the tasks of agents", load: () => import("./commands/tasks.ts") },
  permissions: {
    summary: "answer the permissions that agents have asked for",
    load: () => import("./commands/permissions.ts"),
  },
  pair: { summary: "make somebody on a channel an owner", load: () => import("./commands/pair.ts") },
  schedule: { summary: "scheduled runs: list, run, turn on", load: () => import("./commands/schedule.ts") },
  persona: { summary: "list, show and check personas", load: () => import("./commands/persona.ts") },
  cost: { summary: "show usage and cost of runs", load: () => import("./commands/cost.ts") },
  models: { summary: "list the providers' models", load: () => import("./commands/models.ts") },
  tools: { summary: "list the tools and call one", load: () => import("./commands/tools.ts") },
  mcp: { summary: "serve the tools on stdio, for Claude Desktop and editors", load: () => import("./commands/mcp.ts") },
  config: { summary: "check the settings, print their schema", load: () => import("./commands/config.ts") },
  backup: { summary: "copy the journal into one file, also while it runs", load: () => import("./commands/backup.ts") },
  restore: { summary: "restore a journal from a backup", load: () => import("./commands/restore.ts") },
  service: { summary: "start cortex with the system", load: () => import("./commands/service.ts") },
  quarantine: {
    summary: "items that cortex failed on three times: show, retry, drop",
    load: () => import("./commands/quarantine.ts"),
  },
  doctor: { summary: "say what is wrong and how to fix it", load: () => import("./commands/doctor.ts") },
} satisfies Record<CommandName, Entry>;
