/** The channel `slack`: a bot of a workspace, in Socket Mode. */
import { ChannelSecretError } from "../../journal/channels/channel-secret.ts";
import { hearChannelTurns } from "../../bus/agents/channel-turns.ts";
import { askedBy } from "../adapter/questions/asked-question.ts";
import type { OutboundMessage } from "../../protocol/agents/channel.ts";
import type { AgentSide, ChannelAdapter } from "../adapter/adapter.ts";
import { PermanentDeliveryError } from "../adapter/delivery-errors.ts";
import type { AdapterDeps } from "../adapter/open-adapter.ts";
import { Intake } from "./intake.ts";
import { MessageHandler } from "./messages.ts";
import { maxBlockText, outcomeOf, questionBlocks } from "./permission.ts";
import { handlePress, showOutcome } from "./presses.ts";
import { sendFile } from "./send-file.ts";
import { openClient, publicApi } from "./service/client.ts";
import { keepConnected } from "./service/connection.ts";
import { Directory } from "./service/directory.ts";
import { SlackRefusalError, toDeliveryError, TokenRefusedError } from "./service/failures.ts";
import { Threads } from "./service/threads.ts";
import { ShownQuestions } from "../adapter/questions/shown-questions.ts";
import { ReadingSigns } from "./signs.ts";
import { openTyping } from "./typing.ts";
import { escaped, mrkdwnOf } from "./text/mrkdwn.ts";
import { cutText, messagesOf } from "./text/split.ts";
import { slackToken } from "./tokens.ts";

/** Milliseconds of a call that delivers; less than a delivery may take. */
const callMs = 50_000;
/** Milliseconds of a call that is best effort. */
const hastyMs = 5000;

const threadPattern = /^\d{1,12}\.\d{1,9}$/;

export async function openSlack(deps: AdapterDeps): Promise<ChannelAdapter> {
  const { journal, settings, bus, log, outbox } = deps;
  const appToken = slackToken(deps, "app_token");
  const token = slackToken(deps, "bot_token");
  const apiUrl = settings.api_url === undefined ? publicApi : `${settings.api_url.replace(/(?<!\/)\/+$/, "")}/`;
  const stopping = new AbortController();
  const signal = AbortSignal.any([deps.signal, stopping.signal]);
  const client = openClient(token, apiUrl, callMs);
  const hasty = openClient(token, apiUrl, hastyMs);
  let bot = { userId: "", teamId: "" };
  let agentSide: AgentSide | undefined;
  const directory = new Directory(client, hasty, log);
  const threads = new Threads({ client, botId: () => bot.userId, log, signal });
  const signs = new ReadingSigns(hasty, log);
  const typing = openTyping(hasty, log);
  const questions = new ShownQuestions({
    journal,
    type: "slack",
    onDecided: async ({ channelId, messageId: ts, text }, question) => {
      const room = await directory.roomOf(channelId).catch(() => channelId);
      await showOutcome(hasty, log, { room, ts, text }, outcomeOf(question));
    },
  });

  return {
    type: "slack",
    start: async (agent) => {
      agentSide = agent;
      questions.findFormer((id) => outbox.delivery(id));
      hearChannelTurns(bus, "slack", (turn) => typing.turned(turn));
      const common = { ...deps, signal, hasty, agent };
      const messages = new MessageHandler({
        ...common,
        apiUrl,
        token,
        directory,
        threads,
        signs,
        typing,
        bot: () => bot,
      });
      const intake = new Intake({
        journal,
        botId: () => bot.userId,
        handle: async (incoming) => {
          if (incoming.kind === "order") return messages.handleOrder(incoming);
          if (incoming.kind === "press") await handlePress({ ...common, questions }, incoming);
          else await messages.handleMessage(incoming);
          return undefined;
        },
        onRevoked: () => void identify().catch(endIfRefused),
        log,
        signal,
      });
      const handle = intake.take.bind(intake);
      keepConnected({ appToken, apiUrl, beforeEach: identify, handle, log, signal }).catch((error: unknown) => {
        if (!endIfRefused(error)) agent.giveUp(error as Error);
      });
      return {};
    },
    split: (message) => partsOf(message),
    deliver: async (message, given) => {
      try {
        const { channelId, replyTo = "" } = message.channel;
        const thread = threadPattern.test(replyTo) ? replyTo : undefined;
        const room = await directory.roomOf(channelId);
        const [file] = message.attachments ?? [];
        const sent = file
          ? await sendFile({ client, apiUrl, journal, room, thread }, file, given)
          : await post(message, room, thread);
        if (thread !== undefined) threads.note(room, thread);
        typing.answered(message.channel);
        if (askedBy(message) === null) signs.clear(message.channel);
        return sent;
      } catch (error) {
        endIfRefused(error);
        throw error;
      }
    },
    // An envelope under way isn't acknowledged, and comes again.
    stop: async () => {
      questions[Symbol.dispose]();
      typing[Symbol.dispose]();
      stopping.abort();
    },
  };

  /** Finds out who the bot is. @throws TokenRefusedError */
  async function identify(): Promise<void> {
    try {
      const { user_id = "", team_id = "" } = await client.auth.test();
      bot = { userId: user_id, teamId: team_id };
    } catch (error) {
      throw toDeliveryError(error);
    }
  }

  /** A token that is refused ends the program for good. */
  function endIfRefused(error: unknown): boolean {
    if (!(error instanceof TokenRefusedError)) return false;
    agentSide?.giveUp(new ChannelSecretError(`channels.slack: ${error.message}`));
    return true;
  }

  async function post(message: OutboundMessage, room: string, thread: string | undefined) {
    if (message.text.trim() === "") throw new PermanentDeliveryError("there is no text, and nothing else is sent");
    const question = askedBy(message);
    const target = { channel: room, ...(thread !== undefined && { thread_ts: thread }) };
    // No page of a link is fetched: its address might tell others what was said.
    const options = { ...target, unfurl_links: false, unfurl_media: false };
    const text = question ? escaped(message.text) : message.text;
    const plainly = async () => client.chat.postMessage({ ...options, text });
    try {
      const sent = question
        ? await client.chat
            .postMessage({ ...options, text, blocks: questionBlocks(message.text, question) })
            .catch((error: unknown) => {
              if (!isRefusedForm(toDeliveryError(error))) throw error;
              return plainly(); // its text says what to answer
            })
        : await plainly();
      const ts = sent.ts ?? "";
      if (question && ts !== "") questions.add(question.token, { channelId: room, messageId: ts, text: message.text });
      return ts === "" ? {} : { external_id: ts };
    } catch (error) {
      throw toDeliveryError(error);
    }
  }
}

const isRefusedForm = (error: Error) => error instanceof SlackRefusalError && error.code.includes("block");

/** The text in mrkdwn, the buttons under its last part, and each file as a message of its own. */
function partsOf(message: OutboundMessage): OutboundMessage[] {
  const { attachments = [], metadata: _metadata, ...rest } = message;
  const question = askedBy(message);
  const texts = question ? cutText(message.text, maxBlockText) : messagesOf(mrkdwnOf(message.text));
  if (texts.length === 0 && attachments.length === 0) return [message];
  return [
    ...texts.map((text, index) => {
      if (!question) return { ...rest, text };
      return index + 1 === texts.length
        ? { ...rest, text, metadata: message.metadata }
        : { ...rest, text: escaped(text) };
    }),
    ...attachments.map((one) => ({ ...rest, text: "", attachments: [one] })),
  ];
}
