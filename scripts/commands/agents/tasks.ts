/** `cortex tasks`: sub-agents, what they were sent off to do, and what became of it. */
import { readEnvironment } from "../../../proc/programs/environment.ts";
import { exitCodes } from "../../../protocol/runs/exit-codes.ts";
import { isDay } from "../../../protocol/names/names.ts";
import { askAgentsOnce } from "../../command/agents-connection.ts";
import { columns } from "../../command/layout/columns.ts";
import { type Command, parseCommandLine, unknownName, usageError } from "../../command/command.ts";
import { duration } from "../../command/layout/text.ts";

const help = `
Usage: cortex tasks list [--day YYYYMMDD] [--json]
       cortex tasks show ID [--json]
       cortex tasks resume ID TEXT [--json]

  list     the agents' tasks, the newest first
  show     one task: its input, its work and its result
  resume   send an input to a task, and let it continue

The beginning of an ID is enough.
`;

type Row = { taskId: string; description: string; type: string; status: string; created: number };

export const command: Command = {
  help,
  run: async (args) => {
    const options = { json: { type: "boolean" }, day: { type: "string" } } as const;
    const { values, positionals } = parseCommandLine(args, options, "cortex tasks");
    const [action = "list", id, ...words] = positionals;
    const { json = false, day } = values;
    const known = ["list", "show", "resume"];
    if (!known.includes(action)) throw unknownName("action", action, known, "cortex tasks");
    if (day !== undefined && !isDay(day))
      throw usageError(`--day "${day}": expected a date as YYYYMMDD`, "for example: --day 20250109");
    if (action !== "list" && id === undefined)
      throw usageError(`cortex tasks ${action} takes the id of a task`, "ids: cortex tasks list");
    if (action === "resume" && words.length === 0)
      throw usageError("there is nothing to tell it", `for example: cortex tasks resume ${id} "yes, go on"`);
    if (action !== "resume" && words.length > 0)
      throw usageError(`unexpected "${words.join(" ")}"`, "see: cortex tasks --help");
    const result = await askAgentsOnce(readEnvironment(), `tasks ${action}`, {
      ...(id !== undefined && { agent_id: id }),
      ...(day !== undefined && { day }),
      ...(action === "resume" && { input: words.join(" ") }),
    });
    process.stdout.write(`${json ? JSON.stringify(result) : textOf(action, result)}\n`);
    return exitCodes.done;
  },
};

function textOf(action: string, result: Record<string, unknown>): string {
  if (action === "list") return table(result["tasks"] as Row[]);
  if (action === "resume") return `${String(result["taskId"])} goes on`;
  return `${table([result["task"] as Row])}\n\n${String(result["conversation"])}`;
}

function table(rows: Row[]): string {
  if (rows.length === 0) return "no tasks";
  const cells = rows.map(({ taskId, type, status, created, description }) => [
    taskId,
    type,
    status,
    `${duration(Math.max(0, Date.now() - created))} ago`,
    description,
  ]);
  return columns([["ID", "TYPE", "STATE", "SINCE", "WHAT"], ...cells]);
}
