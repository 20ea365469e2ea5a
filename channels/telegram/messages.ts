/** Messages that came: who isn't allowed is told so, files are fetched of people who are known, and the rest is stored for its agent. */
import { attachmentRules } from "../../journal/attachments/take-attachments.ts";
import { isBoundRoom } from "../../journal/channels/bound-rooms.ts";
import { isStranger, noFiles } from "../../journal/channels/known-people.ts";
import { usableSettings } from "../../journal/config/settings.ts";
import type { Channel, InboundMessage } from "../../protocol/agents/channel.ts";
import { ownersNow } from "../adapter/owners-now.ts";
import type { AgentSide } from "../adapter/adapter.ts";
import type { AdapterDeps } from "../adapter/open-adapter.ts";
import { type FileSource, fetchFile } from "./fetch-file.ts";
import { RefusalNotices } from "../adapter/refusal-notices.ts";
import type { TellQuietly } from "./calls/tell-quietly.ts";
import type { Typing } from "./typing.ts";
import type { IncomingMessage, RemoteFile } from "./updates/update.ts";

const notAllowed = "This bot is private: you aren't one of those who may write to it.";

export type MessageDeps = Pick<AdapterDeps, "journal" | "settings" | "log" | "signal"> &
  Pick<FileSource, "api" | "apiRoot" | "token"> & { agent: AgentSide; typing: Typing; tell: TellQuietly };

/** Makes the handler of messages: what is for an agent is stored before it resolves. */
export function messageHandler(deps: MessageDeps): (incoming: IncomingMessage) => Promise<void> {
  const { journal, settings, log, api, agent, typing, tell } = deps;
  const notices = new RefusalNotices();

  return async ({ message, file, isPrivate }) => {
    const { userId = "", channelId } = message.channel;
    if (settings.allow !== undefined && !settings.allow.includes(userId)) {
      if (isPrivate && notices.isDue(userId, Date.now()))
        await tell(() => api.sendMessage(channelId, notAllowed), "a stranger wasn't told");
      return;
    }
    await store(file === null ? message : await withFile(message, file));
  };

  /** The message with its file, or with the reason why that isn't there. */
  async function withFile(message: InboundMessage, file: RemoteFile): Promise<InboundMessage> {
    if (refusesFilesOf(message.channel)) {
      const { name, type, size } = file;
      const described = { name: name.slice(0, 256), ...(type && { type }), ...(size !== undefined && { size }) };
      return { ...message, attachments: [{ ...described, problem: noFiles }] };
    }
    const rules = attachmentRules(usableSettings(journal).settings);
    const attachment = await fetchFile({ ...deps, rules }, file);
    if (attachment["problem"] !== undefined) log.warn({ id: message.id, ...attachment }, "a file wasn't stored");
    return { ...message, attachments: [attachment] };
  }

  function refusesFilesOf(channel: Channel): boolean {
    const { agents, channels } = usableSettings(journal).settings;
    return agents?.strangers?.files !== true && isStranger(channel, ownersNow(journal), channels);
  }

  async function store(message: InboundMessage): Promise<void> {
    const { isRepeated } = await agent.send(message);
    // In a room that belongs to a thread people speak to each other.
    if (!isRepeated && !isBoundRoom(journal, message.channel)) typing.begin(message.channel);
  }
}
