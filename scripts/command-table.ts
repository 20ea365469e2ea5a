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
  down: { summary: "stop what runs on this journal", load: () => import("./commands/down.ts") },
  status: { summary: "show what is running", load: () => import("./commands/status.ts") },
  logs: { summary: "show and follow what the programs log", load: () => import("./commands/logs.ts") },
  request: { summary: "ask an agent and wait for its answer", load: () => import("./commands/request.ts") },
  runs: { summary: "list, show, follow, cancel, close, prune runs", load: () => import("./commands/runs.ts") },
  audit: { summary: "find what was changed in runs' files", load: () => import("./commands/audit.ts") },
  chat: {
    summary: "talk with a long-lived agent",
    load: () => import("./commands/chat.ts"),
    drawsItself: true,
  },
  agents: { summary: "long-lived agents: list, show, reset, compact", load: () => import("./commands/agents.ts") },
  tasks: { summary: "what agents have sent others off to do", load: () => import("./commands/tasks.ts") },
  permissions: {
    summary: "what agents have asked for, and your answer",
    load: () => import("./commands/permissions.ts"),
  },
  pair: { summary: "make somebody on a channel an owner", load: () => import("./commands/pair.ts") },
  schedule: { summary: "what runs by itself: list, run, turn on", load: () => import("./commands/schedule.ts") },
  persona: { summary: "list, show and check personas", load: () => import("./commands/persona.ts") },
  cost: { summary: "show what runs have used and cost", load: () => import("./commands/cost.ts") },
  models: { summary: "ask the providers which models they have", load: () => import("./commands/models.ts") },
  tools: { summary: "list the tools and call one", load: () => import("./commands/tools.ts") },
  mcp: { summary: "serve the tools on stdio, for Claude Desktop and editors", load: () => import("./commands/mcp.ts") },
  config: { summary: "check the settings, print their schema", load: () => import("./commands/config.ts") },
  backup: { summary: "copy the journal into one file, while it runs too", load: () => import("./commands/backup.ts") },
  restore: { summary: "make a journal of a backup", load: () => import("./commands/restore.ts") },
  service: { summary: "start it with the system", load: () => import("./commands/service.ts") },
  quarantine: {
    summary: "what cortex failed on and has put away: look at it, retry it, drop it",
    load: () => import("./commands/quarantine.ts"),
  },
  doctor: { summary: "say what is wrong and how to fix it", load: () => import("./commands/doctor.ts") },
} satisfies Record<CommandName, Entry>;
