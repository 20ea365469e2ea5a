/** The names of the commands, by themselves: hints are written with them, and need no command's file. */
export const commandNames = [
  "up",
  "down",
  "status",
  "logs",
  "request",
  "runs",
  "audit",
  "chat",
  "agents",
  "tasks",
  "permissions",
  "pair",
  "schedule",
  "persona",
  "cost",
  "models",
  "tools",
  "mcp",
  "config",
  "backup",
  "restore",
  "service",
  "quarantine",
  "doctor",
] as const;

export type CommandName = (typeof commandNames)[number];
