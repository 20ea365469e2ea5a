/** The channel `telegram`: a bot, asked for its messages by long polling, or sent them over a webhook. */
import type { FastifyInstance } from "fastify";
import { hearChannelTurns } from "../../bus/agents/channel-turns.ts";
import { askedBy } from "../adapter/questions/asked-question.ts";
import { apiRootOf } from "./api-root.ts";
import type { Api } from "grammy";
import type { Update } from "grammy/types";
import { isBoundRoom } from "../../journal/channels/bound-rooms.ts";
import { webhookSecret } from "../../journal/access/token-file.ts";
import { ChannelSecretError, readChannelSecret } from "../../journal/channels/channel-secret.ts";
import type { Logger } from "../../proc/logging/log.ts";
import { saidCommands } from "../../protocol/agents/said-commands.ts";
import type { Channel } from "../../protocol/agents/channel.ts";
import type { AgentSide, ChannelAdapter } from "../adapter/adapter.ts";
import type { AdapterDeps } from "../adapter/open-adapter.ts";
import { openTranscribe } from "../adapter/transcribe.ts";
import { Typing } from "../adapter/typing.ts";
import { openClient } from "./calls/client.ts";
import { toDeliveryError, TokenRefusedError } from "./calls/failures.ts";
import { partsOf, type TextPart } from "./outgoing/parts.ts";
import { Retrier } from "./calls/retrier.ts";
import { tellQuietly } from "./calls/tell-quietly.ts";
import { messageHandler } from "./messages.ts";
import { pressHandler } from "./questions/presses.ts";
import { PoisonedUpdates } from "./poisoned-updates.ts";
import { poll } from "./poll.ts";
import { sendFile } from "./outgoing/send-file.ts";
import { sendText } from "./outgoing/send-text.ts";
import { ShownQuestions } from "../adapter/questions/shown-questions.ts";
import { threadOf } from "./calls/thread.ts";
import { openWebhook, setWebhook } from "./webhook.ts";
import type { Bot } from "./updates/addressed.ts";
import { incomingOf } from "./updates/update.ts";

const tokenPattern = /^(\d{1,20}):[A-Za-z0-9_-]{20,100}$/;

/** Milliseconds for which Telegram shows that the bot is typing, unless a message comes. */
const typingMs = 5000;

export async function openTelegram(deps: AdapterDeps): Promise<ChannelAdapter> {
  const { journal, settings, env, bus, log, outbox } = deps;
  const place = { name: "channels.telegram.token", file: settings.token_file, variable: settings.token_env };
  const token = readChannelSecret(journal, env, place);
  const account = tokenPattern.exec(token)?.[1];
  if (account === undefined)
    throw new ChannelSecretError(`${place.name}: expected a bot's token as BotFather gives it, such as 123456:AbC…`);
  const apiRoot = apiRootOf(settings);
  const api = openClient(token, apiRoot);
  const transcribe = settings.transcribe && openTranscribe(deps, settings.transcribe, "channels.telegram.transcribe");
  const stopping = new AbortController();
  const signal = AbortSignal.any([deps.signal, stopping.signal]);
  const questions = new ShownQuestions({
    journal,
    type: "telegram",
    onDecided: async ({ channelId, messageId }) => {
      await api.editMessageReplyMarkup(channelId, Number(messageId)).catch((error: unknown) => {
        log.info({ error: toDeliveryError(error).message }, "the buttons of a decided question weren't removed");
      });
    },
  });
  const hearsAll = (channelId: string) => isBoundRoom(journal, { type: "telegram", channelId });
  const typing = new Typing<Channel>({
    everyMs: typingMs,
    show: (room) => api.sendChatAction(room.channelId, "typing", threadOf(room), signal as SendSignal),
    onProblem: (error) => log.info({ error: toDeliveryError(error).message }, "that it is typing wasn't shown"),
  });
  let webhook: FastifyInstance | null = null;
  let giveUp: AgentSide["giveUp"] = () => {};
  /** A token that is refused ends the program for good. */
  const end = (error: unknown) => {
    if (signal.aborted) return;
    giveUp(error instanceof TokenRefusedError ? new ChannelSecretError(error.message) : (error as Error));
  };
  return {
    type: "telegram",
    start: async (agent) => {
      giveUp = agent.giveUp;
      questions.findFormer((id) => outbox.delivery(id));
      hearChannelTurns(bus, "telegram", (turn) => typing.turned(turn));
      void showCommands(api, signal).catch((error: unknown) => {
        log.info({ error: toDeliveryError(error).message }, "the menu of commands wasn't set");
      });
      const common = {
        ...deps,
        transcribe: transcribe ?? null,
        signal,
        api,
        apiRoot,
        token,
        agent,
        questions,
        typing,
        tell: tellQuietly(log),
      };
      const [handleMessage, handlePress] = [messageHandler(common), pressHandler(common)];
      const bot = whoItIs(api, log, signal);
      const handleUpdate = async (update: Update) => {
        const incoming = incomingOf(update, { bot: await bot, hearsAll });
        if (incoming.kind === "message") await handleMessage(incoming);
        if (incoming.kind === "press") await handlePress(incoming);
      };
      const updates = { handleUpdate, poisoned: new PoisonedUpdates(journal, account, log), log, signal };
      if (settings.webhook === undefined) {
        Promise.all([bot, poll({ ...updates, api, journal, account })]).catch(end);
        return {};
      }
      const secret = await webhookSecret(journal, "telegram");
      const { public_url, port } = settings.webhook;
      webhook = openWebhook({ ...updates, secret });
      const url = await webhook.listen({ host: "127.0.0.1", port });
      Promise.all([bot, setWebhook({ api, secret, publicUrl: public_url, log, signal })]).catch(end);
      return { url };
    },
    split: partsOf,
    deliver: async (message: TextPart, given) => {
      typing.answered(message.channel);
      try {
        return await send(message, given);
      } catch (error) {
        if (error instanceof TokenRefusedError) end(error);
        throw error;
      }
    },
    // An update under way isn't noted, and comes again.
    stop: async () => {
      questions[Symbol.dispose]();
      typing[Symbol.dispose]();
      stopping.abort();
      await webhook?.close();
    },
  };

  async function send(message: TextPart, given: AbortSignal): Promise<{ external_id: string }> {
    const { channel, text, attachments: [file] = [] } = message;
    if (file) return sendFile(api, journal, channel, file, given);
    const messageId = String(await sendText(api, message, given));
    const question = askedBy(message);
    if (question) questions.add(question.token, { channelId: channel.channelId, messageId, text });
    return { external_id: messageId };
  }
}

/** The client names the signal of another library, which this one fits. */
type SendSignal = Parameters<Api["sendMessage"]>[3];

/** Asks Telegram who the bot is, until it says so. @throws TokenRefusedError, or the signal's reason */
async function whoItIs(api: Api, log: Logger, signal: AbortSignal): Promise<Bot> {
  const ask = () => api.getMe(signal as SendSignal);
  const me = await new Retrier(log, signal).always("Telegram doesn't say who the bot is", ask);
  if (me === undefined) throw signal.reason;
  return { id: me.id, username: me.username };
}

/** Sets the commands that Telegram offers behind a slash. */
const showCommands = (api: Api, signal: AbortSignal) =>
  api.setMyCommands(
    Object.entries(saidCommands).map(([command, description]) => ({ command, description })),
    {},
    signal as SendSignal,
  );
