/** `cortex permissions`: what waits for your answer, and your answer. */
import { cleaned } from "../../../proc/logging/terminal.ts";
import { readEnvironment } from "../../../proc/programs/environment.ts";
import { exitCodes } from "../../../protocol/runs/exit-codes.ts";
import { askAgentsOnce } from "../../command/agents-connection.ts";
import { columns } from "../../command/layout/columns.ts";
import { type Command, parseCommandLine, unknownName, usageError } from "../../command/command.ts";
import { shorten } from "../../command/layout/text.ts";

const help = `
Usage: cortex permissions list [--json]
       cortex permissions allow ID [--always] [--reason TEXT] [--json]
       cortex permissions deny ID [--always] [--reason TEXT] [--json]

Shows and answers questions: tool calls that wait for your permission, and folders that sub-agents ask to write to.
The first answer to a question counts.
The beginning of an ID is enough.

  --always       also keep the answer as a rule in cortex.json, for later calls like this one; the rule is shown first
  --reason TEXT  for the one who asks
`;

/** As much as any channel takes, in characters. */
const longestReason = 2000;

type Asked = {
  id: string;
  agent_id: string;
  tool: string;
  args: unknown;
  why: string;
  expires: number;
};

export const command: Command = {
  help,
  run: async (args) => {
    const options = { json: { type: "boolean" }, always: { type: "boolean" }, reason: { type: "string" } } as const;
    const { values, positionals } = parseCommandLine(args, options, "cortex permissions");
    const [action = "list", id, ...more] = positionals;
    const known = ["list", "allow", "deny"];
    if (!known.includes(action)) throw unknownName("action", action, known, "cortex permissions");
    const isList = action === "list";
    if (!isList && id === undefined)
      throw usageError(`cortex permissions ${action} takes an id`, "ids: cortex permissions list");
    if (more.length > 0 || (isList && id !== undefined))
      throw usageError(`unexpected "${positionals.slice(isList ? 1 : 2).join(" ")}"`, "see: cortex permissions --help");
    if (isList && (values.always || values.reason !== undefined))
      throw usageError("--always and --reason: expected an answer", "see: cortex permissions --help");
    const env = readEnvironment();
    if (isList) return printResult(values.json, await askAgentsOnce(env, "permissions list"), table);
    const { always = false } = values;
    if (always) {
      const { rules } = await askAgentsOnce(env, "permissions show", { id });
      for (const rule of rules as object[])
        process.stderr.write(`to be kept in cortex.json: ${cleaned(JSON.stringify({ ...rule, decide: action }))}\n`);
    }
    const result = await askAgentsOnce(env, "permissions decide", {
      id,
      decision: action,
      always,
      ...(values.reason !== undefined && { reason: values.reason.slice(0, longestReason) }),
    });
    return printResult(values.json, result, () => (action === "allow" ? "allowed" : "denied"));
  },
};

function printResult(
  isJson: boolean | undefined,
  result: Record<string, unknown>,
  text: (result: never) => string,
): number {
  process.stdout.write(`${isJson ? JSON.stringify(result) : text(result as never)}\n`);
  return exitCodes.done;
}

function table({ permissions }: { permissions: Asked[] }): string {
  if (permissions.length === 0) return "nothing waits for an answer";
  const cells = permissions.map(({ id, agent_id, tool, args, why, expires }) => [
    id.slice(0, 8),
    agent_id,
    cleaned(tool),
    shorten(cleaned(JSON.stringify(args)), 80),
    new Date(expires).toISOString().slice(0, 16),
    shorten(cleaned(why), 80),
  ]);
  return columns([["ID", "AGENT", "TOOL", "ARGUMENTS", "UNTIL", "WHY"], ...cells]);
}
