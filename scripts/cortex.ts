/** `cortex`: finds the command and runs it. */
import { readFileSync } from "node:fs";
import { packageFile } from "../proc/programs/package-file.ts";
import { exitCodes } from "../protocol/runs/exit-codes.ts";
import { type Command, runCommand, unknownName } from "./command/command.ts";
import { parseOwnJson } from "../protocol/json/parse-json.ts";
import { commands } from "./command-table.ts";
import { guardTerminals } from "../proc/logging/terminal.ts";

function help(): string {
  const width = Math.max(...Object.keys(commands).map((name) => name.length));
  const rows = Object.entries(commands).map(([name, { summary }]) => `  cortex ${name.padEnd(width)}  ${summary}`);
  return `Usage: cortex COMMAND [OPTIONS]\n\n${rows.join("\n")}\n\nHelp of a command: cortex help COMMAND\n`;
}

/** Runs `cortex` with its arguments and returns the exit code. */
export async function cortex([name, ...args]: string[]): Promise<number> {
  // Whoever reads us may have read enough: `cortex runs list | head`.
  process.stdout.on("error", (error: NodeJS.ErrnoException) =>
    process.exit(error.code === "EPIPE" ? exitCodes.done : exitCodes.failed),
  );
  if (name === "help" && args[0] !== undefined && !args[0].startsWith("-")) {
    return cortex(Object.hasOwn(commands, args[0]) ? [args[0], "--help"] : args);
  }
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    process.stdout.write(help());
    return name === undefined ? exitCodes.usage : exitCodes.done;
  }
  if (name === "--version") {
    const { version } = parseOwnJson(readFileSync(packageFile("package.json"), "utf8")) as { version: string };
    process.stdout.write(`${version}\n`);
    return exitCodes.done;
  }
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!entry?.drawsItself) guardTerminals();
  const command: Command = entry
    ? (await entry.load()).command
    : {
        help: help(),
        run: () => {
          throw unknownName("command", name, Object.keys(commands), "cortex");
        },
      };
  return runCommand(command, args);
}
