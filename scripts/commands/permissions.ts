/** `cortex permissions`: what agents have asked for, and your answer. */
import { readEnvironment } from "../../proc/programs/environment.ts";
import { exitCodes } from "../../protocol/runs/exit-codes.ts";
import { askAgentsOnce } from "../command/agents-connection.ts";
import { columns } from "../command/columns.ts";
import { type Command, parseCommandLine, unknownName, usageError } from "../command/command.ts";

const help = `
Usage: cortex permissions list [--json]
       cortex permissions allow TOKEN [--json]
       cortex permissions deny TOKEN [--json]

Shows the permissions that sub-agents have asked for, and answers them, each once. The beginning of a TOKEN is enough.
`;

type Asked = { token: string; path: string; reason: string; decision?: string; agent_id: string };

export const command: Command = {
  help,
  run: async (args) => {
    const { values, positionals } = parseCommandLine(args, { json: { type: "boolean" } }, "cortex permissions");
    const [action = "list", token, ...more] = positionals;
    const known = ["list", "allow", "deny"];
    if (!known.includes(action)) throw unknownName("action", action, known, "cortex permissions");
    const isList = action === "list";
    if (!isList && token === undefined)
      throw usageError(`cortex permissions ${action} takes a token`, "tokens: cortex permissions list");
    if (more.length > 0 || (isList && token !== undefined))
      throw usageError(`unexpected "${positionals.slice(isList ? 1 : 2).join(" ")}"`, "see: cortex permissions --help");
    const env = readEnvironment();
    const result = isList
      ? await askAgentsOnce(env, "permissions list")
      : await askAgentsOnce(env, "permissions decide", { token, decision: action });
    if (values.json) process.stdout.write(`${JSON.stringify(result)}\n`);
    else if (isList) process.stdout.write(`${table(result["permissions"] as Asked[])}\n`);
    else process.stdout.write(`${action === "allow" ? "allowed" : "denied"}\n`);
    return exitCodes.done;
  },
};

function table(asked: Asked[]): string {
  if (asked.length === 0) return "no permission was asked for";
  const cells = asked.map(({ token, path, reason, decision, agent_id }) => [
    token.slice(0, 8),
    decision ?? "open",
    agent_id,
    path,
    reason,
  ]);
  return columns([["TOKEN", "ANSWER", "AGENT", "WRITE TO", "WHY"], ...cells]);
}
