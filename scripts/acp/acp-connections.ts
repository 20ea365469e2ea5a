/** The connections of `cortex acp`: each is opened by the first who needs it, and comes back by itself. */
import { readFileSync } from "node:fs";
import { type AcpDeps, NothingRunsError } from "../../acp/base/acp-deps.ts";
import { ChannelFullError, MessageTooLargeError } from "../../bus/agents/inbound-refusals.ts";
import type { Bus } from "../../bus/connection/connect.ts";
import { usableSettings } from "../../journal/config/settings.ts";
import { logOf } from "../../proc/logging/log.ts";
import type { Environment } from "../../proc/programs/environment.ts";
import { packageFile } from "../../proc/programs/package-file.ts";
import { parseOwnJson } from "../../protocol/json/parse-json.ts";
import { ChatLink } from "../chat/link.ts";
import { connectAs } from "../command/agents-connection.ts";
import { CommandError } from "../command/command.ts";
import { connectToJournal } from "../command/connection.ts";
import { asTyped } from "../command/typed-command.ts";

/** Closes its connections when it is disposed of. */
export function acpDeps(env: Environment, persona: string): AcpDeps & AsyncDisposable {
  const journal = env.journalPath;
  const client = once(() => connectToJournal(env));
  const owner = once(() => connectAs(env, "owner"));
  const channel = once(() => connectAs(env, "channel-cli"));
  return {
    journal,
    persona,
    version: String((parseOwnJson(readFileSync(packageFile("package.json"), "utf8")) as { version: unknown }).version),
    settings: () => usableSettings(journal).settings,
    client: client.open,
    owner: owner.open,
    openLink: (agent) =>
      telling(async () => {
        const link = await ChatLink.open({ journal, owner: await owner.open(), channel: await channel.open(), agent });
        return {
          agentId: link.agentId,
          sendText: (text, attachments, id) => telling(() => link.sendText(text, { attachments, id })),
          replies: (signal, isFor) => link.replies(signal, isFor),
          isRead: () => link.isRead(),
          [Symbol.dispose]: () => link[Symbol.dispose](),
        };
      }),
    log: logOf("acp"),
    [Symbol.asyncDispose]: async () => {
      for (const one of [client, owner, channel]) await one.close();
    },
  };
}

/** A connection that is made once; one that couldn't be made is tried again by the next who asks. */
function once(connect: () => Promise<Bus>): { open: () => Promise<Bus>; close: () => Promise<void> } {
  let opening: Promise<Bus> | undefined;
  const open = () => {
    opening ??= telling(connect).catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  const close = async () => {
    const bus = await opening?.catch(() => null);
    await bus?.[Symbol.asyncDispose]();
  };
  return { open, close };
}

/** A command's failure as the editor is told it: a message that isn't taken by its own error, anything else with what helps. */
async function telling<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const { cause } = error;
    if (cause instanceof MessageTooLargeError || cause instanceof ChannelFullError) throw cause;
    throw new NothingRunsError(`${error.message}: ${asTyped(error.hint)}`, { cause: error });
  }
}
