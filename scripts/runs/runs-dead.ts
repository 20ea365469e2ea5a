/** `cortex runs dead`: requests that were accepted and couldn't be delivered. */
import { messageOf } from "../../files/errors/error-message.ts";
import { copyNote } from "../../journal/config/folder-mark.ts";
import { type Bus, openBus } from "../../bus/connection/connect.ts";
import {
  deadLetter,
  deadLetters,
  dropDeadLetter,
  resendDeadLetter,
  type StoredLetter,
} from "../../bus/runs/dead-letters.ts";
import { Ledger } from "../../bus/claims/ledger.ts";
import { readRequest } from "../../cortex/intake/read-request.ts";
import { addressAs, readBusAccess } from "../../journal/access/endpoints.ts";
import { readEnvironment } from "../../proc/programs/environment.ts";
import { exitCodes } from "../../protocol/runs/exit-codes.ts";
import { redacted } from "../../protocol/runs/request/request-content.ts";
import { columns } from "../command/layout/columns.ts";
import { noBusError, parseCommandLine, unknownName, usageError } from "../command/command.ts";
import { shorten } from "../command/layout/text.ts";
import { parseJson } from "../../protocol/json/parse-json.ts";
import { shownUrl } from "../../protocol/guards/shown-url.ts";

const options = { json: { type: "boolean" } } as const;

/** @param args what stands behind `dead` */
export async function dead([action, ...args]: string[]): Promise<number> {
  const actions: Record<string, (bus: Bus, number: string | undefined) => Promise<DeadLetterOutcome>> = {
    list,
    retry,
    drop,
  };
  const act = action === undefined ? undefined : actions[action];
  if (!act) throw unknownName("action", action, Object.keys(actions), "cortex runs dead");
  const { values, positionals } = parseCommandLine(args, options, "cortex runs", act === list ? 0 : 1);
  await using bus = await connect();
  const { document, text } = await act(bus, positionals[0]);
  process.stdout.write(`${values.json ? JSON.stringify(document) : text}\n`);
  return exitCodes.done;
}

type DeadLetterOutcome = { document: Record<string, unknown>; text: string };

async function list(bus: Bus): Promise<DeadLetterOutcome> {
  const letters = (await deadLetters(bus)).map(described);
  const rows = letters.map(({ number, reason, since, error, request }) => [
    String(number),
    reason,
    since,
    shorten(error, 60),
    shorten(request === null ? "-" : JSON.stringify(request), 80),
  ]);
  return { document: { dead: letters }, text: rows.length > 0 ? columns(rows) : "no dead letters" };
}

async function retry(bus: Bus, given: string | undefined): Promise<DeadLetterOutcome> {
  const stored = await find(bus, given);
  if (stored.letter.data === undefined)
    throw usageError(
      `the request of letter ${stored.number} is gone: only its id is known, ${stored.letter.agent_id ?? "none"}`,
      `ask for it anew, then: cortex runs dead drop ${stored.number}`,
    );
  const { data, stream_seq } = stored.letter;
  const reading = readRequest(Buffer.from(data, "base64"));
  const agentId = reading.ok ? reading.agentId : null;
  if (agentId) await (await Ledger.open(bus)).reopen(agentId, stream_seq);
  await resendDeadLetter(bus, stored);
  await dropDeadLetter(bus, stored.number);
  return { document: { ok: true, number: stored.number }, text: `sent again: ${stored.number}` };
}

async function drop(bus: Bus, given: string | undefined): Promise<DeadLetterOutcome> {
  const { number } = await find(bus, given);
  await dropDeadLetter(bus, number);
  return { document: { ok: true, number }, text: `dropped: ${number}` };
}

async function find(bus: Bus, given: string | undefined): Promise<StoredLetter> {
  const stored = /^\d{1,15}$/.test(given ?? "") ? await deadLetter(bus, Number(given)) : null;
  if (!stored) throw usageError(`no dead letter "${given ?? ""}"`, "see their numbers: cortex runs dead list");
  return stored;
}

function described({ number, letter }: StoredLetter) {
  const { data, ts, ...rest } = letter;
  const text = data === undefined ? null : Buffer.from(data, "base64").toString("utf8");
  return { number, since: new Date(ts).toISOString(), ...rest, request: text === null ? null : shown(text) };
}

function shown(text: string): unknown {
  try {
    return redacted(parseJson(text));
  } catch {
    return redacted(text);
  }
}

/** Dead letters are no client's business: these commands come with the services' own password, which only this user can read. */
async function connect(): Promise<Bus> {
  const { journalPath, natsUrl, natsFiles } = readEnvironment();
  const access = natsUrl === undefined ? readBusAccess(journalPath) : null;
  const url = natsUrl ?? access?.url;
  if (url === undefined) throw noBusError(`no bus: nothing runs on ${journalPath}${copyNote(journalPath)}`);
  try {
    return await openBus(access ? addressAs(access, "cortex") : { url, ...natsFiles }, "cortex");
  } catch (error) {
    const message = messageOf(error);
    throw noBusError(`no bus at ${shownUrl(url)}: ${message}`, error);
  }
}
