/** `cortex agents`: the long-lived agents, and how they are. */
import { readEnvironment } from "../../../proc/programs/environment.ts";
import { exitCodes } from "../../../protocol/runs/exit-codes.ts";
import { askAgentsOnce } from "../../command/agents-connection.ts";
import { columns } from "../../command/layout/columns.ts";
import { type Command, parseCommandLine, unknownName, usageError } from "../../command/command.ts";
import { type Accounts, conversationText, costText } from "../../../protocol/agents/conversation-text.ts";
import { spentText } from "../../../protocol/agents/spent-text.ts";
import { duration, shorten } from "../../command/layout/text.ts";
import { asTyped } from "../../command/typed-command.ts";

const help = `
Usage: cortex agents list [--json]
       cortex agents show ID [--json]
       cortex agents stop ID [--json]
       cortex agents take-back ID MESSAGE [--json]
       cortex agents say-now ID MESSAGE [--json]
       cortex agents reset ID [--json]
       cortex agents compact ID [--json]

  list      the long-lived agents and their states; with the cost of each conversation, its tasks' in it, and its title
  show      one agent: its identity, its state, what its conversation has used since it began (a reset begins anew,
            a compaction doesn't), what waits to be said to it and its last messages
  stop      end its turn, or the task with that ID (see cortex tasks list); replies already sent stay sent
  take-back drop a message that waits, before it is said; its id is in cortex agents show
  say-now   tell the running turn a message that waits for its end
  reset     begin its conversation anew and drop waiting messages; its history keeps the old conversation
  compact   replace its conversation by a summary

The beginning of an ID is enough. An agent's files are in agents/<id>/ in the journal.
`;

type Row = {
  agent_id: string;
  kind: string;
  name: string;
  connector?: string;
  channelId?: string;
  thread?: string;
  userId?: string;
  state: string;
  waiting: number;
  updated: number;
  model: string | null;
  context_tokens: number;
  context_window: number;
} & Accounts;

type HistoryLine = {
  type: string;
  ts: number;
  text?: string;
  tool?: string;
  args?: unknown;
  result?: unknown;
  summary?: string;
};

type ShownAgent = { agent: Row; waiting: { id: string; text: string }[]; history: HistoryLine[] };

export const command: Command = {
  help,
  run: async (args) => {
    const { values, positionals } = parseCommandLine(args, { json: { type: "boolean" } }, "cortex agents");
    const [action = "list", id, ...rest] = positionals;
    const takesMessage = action === "take-back" || action === "say-now";
    const [message, ...more] = takesMessage ? rest : [undefined, ...rest];
    const json = values.json ?? false;
    const known = ["list", "show", "stop", "take-back", "say-now", "reset", "compact"];
    if (!known.includes(action)) throw unknownName("action", action, known, "cortex agents");
    if (action !== "list" && id === undefined)
      throw usageError(`cortex agents ${action} takes the id of an agent`, "ids: cortex agents list");
    if (takesMessage && message === undefined)
      throw usageError(`cortex agents ${action} takes the id of a message`, `ids: cortex agents show ${id}`);
    if (more.length > 0 || (action === "list" && id !== undefined))
      throw usageError(
        `unexpected "${(action === "list" ? positionals.slice(1) : more).join(" ")}"`,
        "see: cortex agents --help",
      );
    const asked = { ...(id !== undefined && { agent_id: id }), ...(message !== undefined && { item: message }) };
    const result = await askAgentsOnce(readEnvironment(), `agents ${action}`, asked);
    if (json) process.stdout.write(`${JSON.stringify(result)}\n`);
    else process.stdout.write(`${textOf(action, result)}\n`);
    return exitCodes.done;
  },
};

function textOf(action: string, result: Record<string, unknown>): string {
  if (action === "list") return table(result["agents"] as Row[]);
  if (action === "show") return shown(result as ShownAgent);
  if (action === "stop") return result["stopped"] === true ? "stopping" : "nothing is running";
  if (action === "take-back") return `${String(result["item"])} isn't said`;
  if (action === "say-now") return `${String(result["item"])} is said now`;
  const id = String(result["agent_id"]);
  return action === "reset"
    ? `${id} begins anew`
    : `${id} goes on from a summary, about ${String(result["context_tokens"])} tokens`;
}

function table(rows: Row[]): string {
  if (rows.length === 0) return asTyped("no agents yet: say something with cortex chat");
  const cells = rows.map((row) => [
    row.agent_id,
    row.kind,
    placeOf(row),
    row.state,
    String(row.waiting),
    sizeOf(row),
    costText(row),
    ago(row.updated),
    shorten(row.title ?? "", 60),
  ]);
  return columns([["ID", "KIND", "WITH", "STATE", "WAITING", "CONTEXT", "COST", "UPDATED", "TITLE"], ...cells]);
}

function shown({ agent: row, waiting, history }: ShownAgent): string {
  const facts = [
    ["id", row.agent_id],
    ["kind", row.kind],
    ["with", placeOf(row)],
    ["state", row.state],
    ["waiting", String(row.waiting)],
    ["model", row.model ?? "none yet"],
    ["title", shorten(row.title ?? "none yet", 200)],
    ["said", conversationText(row)],
    ["context", `${row.context_tokens} of ${row.context_window} tokens`],
    ["today", spentText(row)],
  ];
  const queue = waiting.map(({ id, text }) => `waits     ${id}  ${shorten(text, 120)}`);
  return [columns(facts), ...queue, "", ...history.slice(-20).map(lineOf)].join("\n");
}

function lineOf({ type, ts, text, tool, args, result, summary }: HistoryLine): string {
  const said = text ?? summary ?? (tool === undefined ? "" : `${tool} ${JSON.stringify(args ?? result ?? {})}`);
  return `${new Date(ts).toISOString().slice(11, 19)}  ${type.padEnd(11)}  ${shorten(said, 200)}`.trimEnd();
}

function placeOf({ name, kind, connector, channelId, thread, userId }: Row): string {
  if (connector === undefined) return kind === "main" ? "the owners" : name;
  const room = [connector, channelId, userId].filter((part) => part !== undefined).join(":");
  return thread === undefined ? room : `${room} (thread ${shorten(thread, 40)})`;
}

const sizeOf = ({ context_tokens: tokens, context_window: window }: Row) => `${Math.round((100 * tokens) / window)}%`;
const ago = (ts: number) => `${duration(Math.max(0, Date.now() - ts))} ago`;
