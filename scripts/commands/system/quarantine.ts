/** `cortex quarantine`: items that cortex failed on again and again, and what a person decides about them. */
import { messageOf } from "../../../files/errors/error-message.ts";
import {
  dropQuarantined,
  findQuarantined,
  listQuarantine,
  type Quarantined,
  releaseQuarantined,
} from "../../../journal/quarantine/quarantine.ts";
import { itemFile } from "../../../journal/quarantine/quarantine-records.ts";
import { readEnvironment } from "../../../proc/programs/environment.ts";
import { exitCodes } from "../../../protocol/runs/exit-codes.ts";
import { columns } from "../../command/layout/columns.ts";
import { type Command, CommandError, parseCommandLine, unknownName, usageError } from "../../command/command.ts";
import { damagedRecordText, describeQuarantined } from "../../command/layout/quarantined-text.ts";
import { shorten } from "../../command/layout/text.ts";

const help = `
Usage: cortex quarantine list [--json]
       cortex quarantine show ID [--json]
       cortex quarantine retry ID [--json]
       cortex quarantine drop ID [--json]

Items that cortex failed on three times and has put away, so that it doesn't fail on them at each start.

  list    all items, with their reasons
  show    one item: its origin, the reason, and the file that holds it
  retry   try an item again: a file that was put away goes back to its place
  drop    delete an item and the copy that was kept of it

Requests that couldn't be delivered: cortex runs dead list
`;

const actions = { list: 0, show: 1, retry: 1, drop: 1 } as const;

export const command: Command = {
  help,
  run: async (args) => {
    const { values, positionals } = parseCommandLine(args, { json: { type: "boolean" } }, "cortex quarantine");
    const [action = "list", id, ...more] = positionals;
    if (!isAction(action)) throw unknownName("action", action, Object.keys(actions), "cortex quarantine");
    if (more.length > 0 || (actions[action] === 0 && id !== undefined))
      throw usageError(`unexpected "${[...(actions[action] === 0 ? [id] : []), ...more].join(" ")}"`, seeHelp);
    const { journalPath: journal } = readEnvironment();
    const { document, text } = action === "list" ? listed(journal) : acted(journal, action, id);
    process.stdout.write(`${values.json ? JSON.stringify(document) : text}\n`);
    return exitCodes.done;
  },
};

const seeHelp = "see: cortex quarantine --help";

type QuarantineOutcome = { document: Record<string, unknown>; text: string };

function listed(journal: string): QuarantineOutcome {
  const all = listQuarantine(journal);
  const rows = all.map(({ id, record }) => [
    id,
    record === null ? "-" : new Date(record.quarantined ?? record.last).toISOString().slice(0, 19),
    shorten(record?.key ?? "-", 60),
    shorten(record?.error ?? damagedRecordText, 120),
  ]);
  const text = rows.length === 0 ? "nothing is in quarantine" : columns([["ID", "SINCE", "WHAT", "WHY"], ...rows]);
  return { document: { quarantined: all.map(describeQuarantined) }, text };
}

function acted(journal: string, action: "show" | "retry" | "drop", id: string | undefined): QuarantineOutcome {
  const found = id === undefined ? null : findQuarantined(journal, id);
  if (!found) throw usageError(`nothing in quarantine is called "${id ?? ""}"`, "ids: cortex quarantine list");
  if (action === "show") return { document: describeQuarantined(found), text: shown(found) };
  if (action === "retry") release(journal, found);
  else dropQuarantined(journal, found);
  return {
    document: { ok: true, id: found.id },
    text: action === "retry" ? `is tried anew: ${found.id}` : `dropped: ${found.id}`,
  };
}

function release(journal: string, found: Quarantined): void {
  const { id, record, item } = found;
  if (item === itemFile(journal, id) && record?.path === undefined)
    throw usageError(`${id} is a copy, and has no place to go back to`, `say it again yourself: it is ${item}`);
  try {
    releaseQuarantined(journal, found);
  } catch (error) {
    const message = messageOf(error);
    throw new CommandError("config", message, "move one of them away, then try again", exitCodes.usage, {
      cause: error,
    });
  }
}

function shown(found: Quarantined): string {
  const facts = Object.entries(describeQuarantined(found)).filter(([, value]) => value !== null);
  return columns(facts.map(([name, value]) => [name, shorten(String(value), 1000)]));
}

function isAction(text: string): text is keyof typeof actions {
  return Object.hasOwn(actions, text);
}
