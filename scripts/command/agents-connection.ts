/** How commands reach the agents' service of a journal, as the user at this machine. */
import { messageOf } from "../../files/errors/error-message.ts";
import { copyNote } from "../../journal/config/folder-mark.ts";
import { callCommand, NoAgentsError } from "../../bus/agents/agent-calls.ts";
import { type Bus, openBus } from "../../bus/connection/connect.ts";
import { addressAs, readBusAccess } from "../../journal/access/endpoints.ts";
import type { Environment } from "../../proc/programs/environment.ts";
import { exitCodes } from "../../protocol/runs/exit-codes.ts";
import { CommandError, noBusError } from "./command.ts";
import { asTyped } from "./typed-command.ts";
import { shownUrl } from "../../protocol/guards/shown-url.ts";

/** A connection of one of the bus's own users. @throws CommandError (exit 69) when there is no bus */
export async function connectAs(env: Environment, user: string): Promise<Bus> {
  const access = env.natsUrl === undefined ? readBusAccess(env.journalPath) : null;
  const address =
    env.natsUrl === undefined ? access && addressAs(access, user) : { url: env.natsUrl, ...env.natsFiles };
  if (!address) throw noBusError(`no bus: nothing runs on ${env.journalPath}${copyNote(env.journalPath)}`);
  return openBus(address, user).catch((error: unknown) => {
    throw noBusError(`no bus at ${shownUrl(address.url)}: ${messageOf(error)}`, error);
  });
}

/**
 * Asks the agents' service for a command of its own.
 * @param usedBy the user's command whose help is pointed at
 * @throws CommandError (exit 69) when nobody answers, (exit 3) with what was refused
 */
export async function askAgents(
  bus: Bus,
  command: string,
  args: Record<string, unknown> = {},
  usedBy = command.split(" ")[0],
): Promise<Record<string, unknown>> {
  const answer = await callCommand(bus, { command, args }).catch((error: unknown) => {
    if (error instanceof NoAgentsError) throw noBusError(error.message, error);
    throw error;
  });
  if (answer.ok) return answer.result;
  throw new CommandError("refused", asTyped(answer.error), `see: cortex ${usedBy} --help`, exitCodes.refused);
}

/** Asks one thing, over a connection of its own. */
export async function askAgentsOnce(env: Environment, command: string, args: Record<string, unknown> = {}) {
  await using bus = await connectAs(env, "owner");
  return await askAgents(bus, command, args); // awaited: the bus closes when this block is left
}
