/** Messages that came: who isn't allowed is told so, files are fetched of people who are known, and the rest is stored for its agent. */
import { attachmentRules } from "../../journal/attachments/take-attachments.ts";
import { isBoundRoom } from "../../journal/channels/bound-rooms.ts";
import { isStranger, noFiles } from "../../journal/channels/known-people.ts";
import { usableSettings } from "../../journal/config/settings.ts";
import { messageOf } from "../../files/errors/error-message.ts";
import type { Attachment, Channel, InboundMessage } from "../../protocol/agents/channel.ts";
import { ownersNow, refusesFilesOf } from "../adapter/senders/owners-now.ts";
import type { AgentSide } from "../adapter/adapter.ts";
import type { AdapterDeps } from "../adapter/open-adapter.ts";
import type { Transcribe } from "../adapter/transcribe.ts";
import { described, type FileSource, fetchFile } from "./fetch-file.ts";
import type { Typing } from "../adapter/typing.ts";
import { RefusalNotices } from "../adapter/senders/refusal-notices.ts";
import { Senders } from "../adapter/senders/senders.ts";
import type { TellQuietly } from "./calls/tell-quietly.ts";
import type { IncomingMessage, RemoteFile } from "./updates/update.ts";

const notAllowed = "This bot is private: you aren't one of those who may write to it.";

const noSounds = "sounds of people whom I don't know aren't heard";

export type MessageDeps = Pick<AdapterDeps, "journal" | "settings" | "log" | "signal"> &
  Pick<FileSource, "api" | "apiRoot" | "token"> & {
    agent: AgentSide;
    typing: Typing<Channel>;
    tell: TellQuietly;
    transcribe: Transcribe | null;
  };

/** Makes the handler of messages: what is for an agent is stored before it resolves. */
export function messageHandler(deps: MessageDeps): (incoming: IncomingMessage) => Promise<void> {
  const { journal, settings, log, signal, api, agent, typing, tell, transcribe } = deps;
  const notices = new RefusalNotices();
  const senders = new Senders(journal, "telegram", settings.allow);

  return async ({ message, file, isPrivate }) => {
    const { userId = "", channelId } = message.channel;
    if (!senders.mayWrite(userId)) {
      if (isPrivate && notices.isDue(userId, Date.now()))
        void tell(() => api.sendMessage(channelId, notAllowed), "a stranger wasn't told");
      return;
    }
    await store(file === null ? message : await withFile(message, file));
  };

  /** The message with its file, or with the reason why that isn't there. */
  async function withFile(message: InboundMessage, file: RemoteFile): Promise<InboundMessage> {
    if (refusesFilesOf(journal, message.channel))
      return { ...withSound(message, file, noSounds), attachments: [{ ...described(file), problem: noFiles }] };
    const rules = attachmentRules(usableSettings(journal).settings);
    const attachment = await fetchFile({ ...deps, rules }, file);
    if (attachment["problem"] !== undefined) log.warn({ id: message.id, ...attachment }, "a file wasn't stored");
    return { ...(await withWords(message, file, attachment)), attachments: [attachment] };
  }

  /** The message with the words of its sound, or with what is known of it. */
  async function withWords(message: InboundMessage, file: RemoteFile, attachment: Attachment): Promise<InboundMessage> {
    if (file.sound === undefined) return message;
    const { id, name = file.name, mime = "audio/ogg" } = attachment;
    if (id === undefined) return withSound(message, file, "it can't be heard");
    if (!transcribe || isStranger(message.channel, ownersNow(journal), usableSettings(journal).settings.channels))
      return withSound(message, file);
    try {
      return withText(message, await transcribe({ id, name, mime }, signal));
    } catch (error) {
      if (signal.aborted) throw error;
      log.warn({ id: message.id, error: messageOf(error) }, "what somebody said wasn't transcribed");
      return withSound(message, file, "it couldn't be transcribed");
    }
  }

  function withSound(message: InboundMessage, { sound }: RemoteFile, problem?: string): InboundMessage {
    return sound === undefined ? message : withText(message, `[${[sound, problem].filter(Boolean).join(": ")}]`);
  }

  function withText(message: InboundMessage, text: string): InboundMessage {
    return { ...message, text: message.text === "" ? text : `${message.text}\n\n${text}` };
  }

  async function store(message: InboundMessage): Promise<void> {
    const { isRepeated } = await agent.send(message);
    // In a room that belongs to a thread people speak to each other.
    if (!isRepeated && !isBoundRoom(journal, message.channel))
      typing.begin(message.id, message.channel, message.channel);
  }
}
