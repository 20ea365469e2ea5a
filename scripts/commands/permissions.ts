/** `cortex permissions`: what waits for your answer, and your answer. */
import { cleaned } from "../../proc/logging/terminal.ts";
import { readEnvironment } from "../../proc/programs/environment.ts";
import { exitCodes } from "../../protocol/runs/exit-codes.ts";
import { askAgentsOnce } from "../command/agents-connection.ts";
import { columns } from "../command/columns.ts";
import { type Command, parseCommandLine, unknownName, usageError } from "../command/command.ts";
import { shorten } from "../command/text.ts";

const help = `
Usage: cortex permissions list [--json]
       cortex permissions allow ID [--always] [--json]
       cortex permissions deny ID [--always] [--json]

Calls of tools that wait for your answer, and what sub-agents have asked for. A question is answered once; the first answer
counts. An ID may be shortened to its begin.

  --always   keep a rule in cortex.json that says so from now on; it is shown before it is kept
`;

type Asked = {
  id: string;
  agent_id: string;
  tool: string;
  args: unknown;
  why: string;
  expires: number | null;
  decision?: string;
};

export const command: Command = {
  help,
  run: async (args) => {
    const options = { json: { type: "boolean" }, always: { type: "boolean" } } as const;
    const { values, positionals } = parseCommandLine(args, options, "cortex permissions");
    const [action = "list", id, ...more] = positionals;
    const known = ["list", "allow", "deny"];
    if (!known.includes(action)) throw unknownName("action", action, known, "cortex permissions");
    const isList = action === "list";
    if (!isList && id === undefined)
      throw usageError(`cortex permissions ${action} takes an id`, "ids: cortex permissions list");
    if (more.length > 0 || (isList && id !== undefined))
      throw usageError(`unexpected "${positionals.slice(isList ? 1 : 2).join(" ")}"`, "see: cortex permissions --help");
    if (isList && values.always)
      throw usageError("--always: expected an answer to keep", "see: cortex permissions --help");
    const env = readEnvironment();
    if (isList) return tell(values.json, await askAgentsOnce(env, "permissions list"), table);
    const { always = false } = values;
    if (always) {
      const { rules } = await askAgentsOnce(env, "permissions show", { id });
      for (const rule of rules as object[])
        process.stderr.write(`kept in cortex.json: ${cleaned(JSON.stringify({ ...rule, decide: action }))}\n`);
    }
    const result = await askAgentsOnce(env, "permissions decide", { id, decision: action, always });
    return tell(values.json, result, () => (action === "allow" ? "allowed" : "denied"));
  },
};

function tell(isJson: boolean | undefined, result: Record<string, unknown>, text: (result: never) => string): number {
  process.stdout.write(`${isJson ? JSON.stringify(result) : text(result as never)}\n`);
  return exitCodes.done;
}

function table({ permissions }: { permissions: Asked[] }): string {
  if (permissions.length === 0) return "no permission was asked for";
  const cells = permissions.map(({ id, agent_id, tool, args, why, expires, decision }) => [
    id.slice(0, 8),
    decision ?? "open",
    agent_id,
    cleaned(tool),
    shorten(cleaned(JSON.stringify(args)), 80),
    expires === null ? "" : new Date(expires).toISOString().slice(0, 16),
    shorten(cleaned(why), 80),
  ]);
  return columns([["ID", "ANSWER", "AGENT", "TOOL", "ARGUMENTS", "UNTIL", "WHY"], ...cells]);
}
