/** `cortex`: finds the command and runs it. Each command's file is imported only when it is asked for. */
import { readFileSync } from "node:fs";
import { packageFile } from "../proc/package-file.ts";
import { exitCodes } from "../protocol/exit-codes.ts";
import { type Command, runCommand, usageError } from "./command.ts";
import { parseOwnJson } from "../protocol/parse-json.ts";

const commands: Record<string, { summary: string; load: () => Promise<{ command: Command }> }> = {
  up: { summary: "start the bus, cortex and the tools, and keep them running", load: () => import("./commands/up.ts") },
  status: { summary: "show what is running", load: () => import("./commands/status.ts") },
  logs: { summary: "show and follow what the programs log", load: () => import("./commands/logs.ts") },
  request: { summary: "ask an agent and wait for its answer", load: () => import("./commands/request.ts") },
  runs: { summary: "list, show, follow, cancel, prune runs", load: () => import("./commands/runs.ts") },
  audit: { summary: "find what was changed in runs' files", load: () => import("./commands/audit.ts") },
  chat: { summary: "talk with an agent that lives on", load: () => import("./commands/chat.ts") },
  agents: { summary: "agents that live on: list, show, reset, compact", load: () => import("./commands/agents.ts") },
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
  service: { summary: "start it with the system", load: () => import("./commands/service.ts") },
  quarantine: {
    summary: "what cortex failed on and has put away: look at it, retry it, drop it",
    load: () => import("./commands/quarantine.ts"),
  },
  doctor: { summary: "say what is wrong and how to mend it", load: () => import("./commands/doctor.ts") },
};

function help(): string {
  const rows = Object.entries(commands).map(([name, { summary }]) => `  cortex ${name.padEnd(10)} ${summary}`);
  return `Usage: cortex COMMAND [OPTIONS]\n\n${rows.join("\n")}\n\nHelp of a command: cortex COMMAND --help\n`;
}

/** Runs `cortex` with its arguments and returns the exit code. */
export async function cortex([name, ...args]: string[]): Promise<number> {
  // Whoever reads us may have read enough: `cortex runs list | head`.
  process.stdout.on("error", (error: NodeJS.ErrnoException) =>
    process.exit(error.code === "EPIPE" ? exitCodes.done : exitCodes.failed),
  );
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    process.stdout.write(help());
    return name === undefined ? exitCodes.usage : exitCodes.done;
  }
  if (name === "--version") {
    const { version } = parseOwnJson(readFileSync(packageFile("package.json"), "utf8")) as { version: string };
    process.stdout.write(`${version}\n`);
    return exitCodes.done;
  }
  const entry = commands[name];
  const command: Command = entry
    ? (await entry.load()).command
    : {
        help: help(),
        run: () => {
          const known = Object.keys(commands).join(", ");
          throw usageError(`unknown command "${name}": known commands are ${known}`, "see: cortex --help");
        },
      };
  return runCommand(command, args);
}
