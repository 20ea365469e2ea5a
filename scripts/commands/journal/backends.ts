/** `cortex backends`: who can answer on this machine, and what each still needs. */
import { keysIn } from "../../../cortex/plan/backend-choice.ts";
import { readSettings } from "../../../journal/config/settings.ts";
import { readEnvironment } from "../../../proc/programs/environment.ts";
import { exitCodes } from "../../../protocol/runs/exit-codes.ts";
import { type ListedBackend, listBackends } from "../../settings/listed-backends.ts";
import { type Command, parseCommandLine } from "../../command/command.ts";
import { columns } from "../../command/layout/columns.ts";
import { runningCortex } from "../../doctor/programs-check.ts";

const help = `
Usage: cortex backends [--json]

Lists the backends: the built-in ones, those of cortex.json, and the coding agents that Cortex knows by name, each with
whether its program is found, its version and key, whether limits hold before its calls, and what it still needs.
`;

export const command: Command = {
  help,
  run: async (args) => {
    const { values } = parseCommandLine(args, { json: { type: "boolean" } }, "cortex backends", 0);
    const { journalPath } = readEnvironment();
    const keys = runningCortex(journalPath)?.keys ?? keysIn(process.env);
    const backends = await listBackends(journalPath, readSettings(journalPath), keys);
    process.stdout.write(values.json ? `${JSON.stringify({ backends })}\n` : `${table(backends)}\n`);
    return exitCodes.done;
  },
};

function table(backends: readonly ListedBackend[]): string {
  const rows = backends.map(({ name, kind, found, version, key, metered, sandbox, hint }) => [
    `${found && hint === null ? "✓" : "·"} ${name}`,
    kind,
    version ?? (found ? "-" : "not found"),
    key ?? "-",
    metered ? "before each call" : "after each call",
    sandbox,
    hint ?? "",
  ]);
  return columns([["  BACKEND", "KIND", "VERSION", "KEY", "LIMITS HOLD", "SANDBOX", "TO DO"], ...rows]);
}
