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
  up: {
    summary: "start the bus, cortex and the tools, and keep them running",
    load: () => import("./commands/system/up.ts"),
  },
  down: { summary: "stop the programs on this journal", load: () => import("./commands/system/down.ts") },
  devices: { summary: "the browsers that are let in to the page", load: () => import("./commands/system/devices.ts") },
  push: {
    summary: "browsers that are told of what happens",
    load: () => import("./commands/system/push.ts"),
  },
  open: { summary: "open the page in a browser", load: () => import("./commands/system/open.ts") },
  status: { summary: "show what is running", load: () => import("./commands/system/status.ts") },
  logs: { summary: "show and follow the programs' logs", load: () => import("./commands/system/logs.ts") },
  request: { summary: "ask an agent and wait for its answer", load: () => import("./commands/runs/request.ts") },
  runs: { summary: "list, show, follow, cancel, close, prune runs", load: () => import("./commands/runs/runs.ts") },
  changes: {
    summary: "what runs have changed in worktrees: show, apply, drop",
    load: () => import("./commands/runs/changes.ts"),
  },
  audit: { summary: "find changes to runs' files", load: () => import("./commands/runs/audit.ts") },
  chat: {
    summary: "talk with a long-lived agent",
    load: () => import("./commands/agents/chat.ts"),
    drawsItself: true,
  },
  agents: {
    summary: "long-lived agents: list, show, reset, compact",
    load: () => import("./commands/agents/agents.ts"),
  },
  tasks: { summary: "show and resume the tasks of agents", load: () => import("./commands/agents/tasks.ts") },
  permissions: {
    summary: "answer the permissions that agents have asked for",
    load: () => import("./commands/agents/permissions.ts"),
  },
  skills: {
    summary: "the skills of agents: list, show, put",
    load: () => import("./commands/agents/skills.ts"),
  },
  memory: {
    summary: "the memory of agents: list, show, put",
    load: () => import("./commands/agents/memory.ts"),
  },
  pair: { summary: "make somebody on a channel an owner", load: () => import("./commands/agents/pair.ts") },
  channels: {
    summary: "the channels by which people reach agents: list, check, add",
    load: () => import("./commands/agents/channels.ts"),
  },
  workspace: {
    summary: "a team's workspace: its members, their tokens, its agents",
    load: () => import("./commands/workspace/workspace.ts"),
  },
  thread: {
    summary: "a team's threads: post, fork, resolve, follow",
    load: () => import("./commands/workspace/thread.ts"),
  },
  schedule: { summary: "scheduled runs: list, run, turn on", load: () => import("./commands/runs/schedule.ts") },
  persona: { summary: "list, show, check and change personas", load: () => import("./commands/journal/persona.ts") },
  cost: { summary: "show usage and cost of runs", load: () => import("./commands/runs/cost.ts") },
  backends: {
    summary: "list who can answer, and what each still needs",
    load: () => import("./commands/journal/backends.ts"),
  },
  models: { summary: "list the providers' models", load: () => import("./commands/journal/models.ts") },
  tools: { summary: "list the tools and call one", load: () => import("./commands/journal/tools.ts") },
  mcp: {
    summary: "serve the tools on stdio, for Claude Desktop and editors",
    load: () => import("./commands/journal/mcp.ts"),
  },
  acp: {
    summary: "talk to personas and agents in editors: Zed, JetBrains, Neovim",
    load: () => import("./commands/agents/acp.ts"),
  },
  config: { summary: "check, print and replace the settings", load: () => import("./commands/journal/config.ts") },
  backup: {
    summary: "copy the journal into one file, also while it runs",
    load: () => import("./commands/journal/backup.ts"),
  },
  restore: { summary: "restore a journal from a backup", load: () => import("./commands/journal/restore.ts") },
  import: {
    summary: "bring an agent over from OpenClaw",
    load: () => import("./commands/journal/import.ts"),
  },
  service: { summary: "start cortex with the system", load: () => import("./commands/system/service.ts") },
  quarantine: {
    summary: "items that cortex failed on three times: show, retry, drop",
    load: () => import("./commands/system/quarantine.ts"),
  },
  doctor: { summary: "say what is wrong and how to fix it", load: () => import("./commands/system/doctor.ts") },
} satisfies Record<CommandName, Entry>;
