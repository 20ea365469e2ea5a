/** The channel `telegram`: a bot, asked for its messages by long polling. */
import { Api } from "grammy";
import type { Update } from "grammy/types";
import { setTimeout as delay } from "node:timers/promises";
import { ChannelSecretError, readChannelSecret } from "../../journal/channels/channel-secret.ts";
import { isStranger, noFiles } from "../../journal/channels/known-people.ts";
import { readOwners } from "../../journal/agents/owners.ts";
import { readQuestion } from "../../journal/permissions/questions.ts";
import { usableSettings } from "../../journal/config/settings.ts";
import type { Channel } from "../../protocol/agents/channel.ts";
import { saidCommands } from "../../protocol/agents/said-commands.ts";
import type { KeptQuestion } from "../../protocol/permissions/call-question.ts";
import { attachmentRules } from "../../journal/attachments/take-attachments.ts";
import type { AgentSide, ChannelAdapter } from "../adapter/adapter.ts";
import type { AdapterDeps } from "../adapter/open-adapter.ts";
import { toDeliveryError, TokenRefusedError } from "./failures.ts";
import { fetchFile } from "./fetch-file.ts";
import { RefusalNotices } from "../adapter/refusal-notices.ts";
import { partsOf, type TextPart } from "./parts.ts";
import { answerToPress, decisionOf, questionOf } from "./permission.ts";
import { poll } from "./poll.ts";
import { sendFile } from "./send-file.ts";
import { sendText } from "./send-text.ts";
import { ShownQuestions } from "./shown-questions.ts";
import { type Incoming, incomingOf } from "./update.ts";

const publicRoot = "https://api.telegram.org";
const tokenPattern = /^(\d{1,20}):[A-Za-z0-9_-]{20,100}$/;

/** Seconds of a call. Longer than Telegram holds a question for which there is nothing yet. */
const timeoutSeconds = 60;

/** Milliseconds for which a press waits until its question is decided: Telegram shows meanwhile that it is at work. */
const decidedMs = 2000;
const lookMs = 50;

const notAllowed = "This bot is private: you aren't one of those who may write to it.";
const ownerDecides = "Only an owner decides this.";

export async function openTelegram(deps: AdapterDeps): Promise<ChannelAdapter> {
  const { journal, settings, env, log, outbox } = deps;
  const place = { name: "channels.telegram.token", file: settings.token_file, variable: settings.token_env };
  const token = readChannelSecret(journal, env, place);
  const account = tokenPattern.exec(token)?.[1];
  if (account === undefined)
    throw new ChannelSecretError(`${place.name}: expected a bot's token as BotFather gives it, such as 123456:AbC…`);
  const apiRoot = (settings.api_root ?? publicRoot).replace(/(?<!\/)\/+$/, "");
  const api = new Api(token, { apiRoot, timeoutSeconds });
  const stopping = new AbortController();
  const signal = AbortSignal.any([deps.signal, stopping.signal]);
  const questions = new ShownQuestions({
    journal,
    removeButtons: async ({ chatId, messageId }) => {
      await api.editMessageReplyMarkup(chatId, messageId).catch((error: unknown) => {
        log.info({ error: toDeliveryError(error).message }, "the buttons of a decided question weren't removed");
      });
    },
  });
  return {
    type: "telegram",
    start: async (agent) => {
      questions.findFormer((id) => outbox.delivery(id));
      void showCommands(api, signal).catch((error: unknown) => {
        log.info({ error: toDeliveryError(error).message }, "the menu of commands wasn't set");
      });
      const handleUpdate = updateHandler({ ...deps, signal }, api, { apiRoot, token }, agent, questions);
      poll({ api, journal, account, handleUpdate, log, signal }).catch((error: unknown) =>
        agent.giveUp(error instanceof TokenRefusedError ? new ChannelSecretError(error.message) : (error as Error)),
      );
      return {};
    },
    split: partsOf,
    deliver: async (message: TextPart, signal) => {
      const [file] = message.attachments ?? [];
      if (file) return sendFile(api, journal, message.channel, file, signal);
      const messageId = await sendText(api, message, signal);
      const question = questionOf(message);
      if (question) questions.add(question.token, { chatId: message.channel.channelId, messageId });
      return { external_id: String(messageId) };
    },
    // An update under way isn't noted, and comes again.
    stop: async () => {
      questions[Symbol.dispose]();
      stopping.abort();
    },
  };
}

/** The client names the signal of another library, which this one fits. */
type SendSignal = Parameters<Api["sendMessage"]>[3];

/** Sets the commands that Telegram offers behind a slash. */
const showCommands = (api: Api, signal: AbortSignal) =>
  api.setMyCommands(
    Object.entries(saidCommands).map(([command, description]) => ({ command, description })),
    {},
    signal as SendSignal,
  );

/** Makes the handler of updates: a message for an agent is stored before it resolves. */
function updateHandler(
  { journal, settings, log, signal }: AdapterDeps,
  api: Api,
  { apiRoot, token }: { apiRoot: string; token: string },
  agent: AgentSide,
  questions: ShownQuestions,
): (update: Update) => Promise<void> {
  const notices = new RefusalNotices();
  const isAllowed = (userId: string) => settings.allow === undefined || settings.allow.includes(userId);

  return async (update) => {
    const incoming = incomingOf(update);
    if (incoming.kind === "message") await handleMessage(incoming);
    if (incoming.kind === "decision") await handleDecision(incoming);
  };

  async function handleMessage({ message, file, isPrivate }: Extract<Incoming, { kind: "message" }>): Promise<void> {
    const { userId = "", channelId } = message.channel;
    if (!isAllowed(userId)) {
      if (isPrivate && notices.isDue(userId, Date.now()))
        await tryToTell(() => api.sendMessage(channelId, notAllowed), "a stranger wasn't told");
      return;
    }
    if (!file) return void (await agent.send(message));
    if (refusesFilesOf(message.channel)) {
      const { name, type, size } = file;
      const described = { name: name.slice(0, 256), ...(type && { type }), ...(size !== undefined && { size }) };
      return void (await agent.send({ ...message, attachments: [{ ...described, problem: noFiles }] }));
    }
    const rules = attachmentRules(usableSettings(journal).settings);
    const attachment = await fetchFile({ api, apiRoot, token, journal, rules, signal }, file);
    if (attachment["problem"] !== undefined) log.warn({ id: message.id, ...attachment }, "a file wasn't stored");
    await agent.send({ ...message, attachments: [attachment] });
  }

  /** Looked up each time: somebody may have been paired. */
  function refusesFilesOf(channel: Channel): boolean {
    const { agents, channels } = usableSettings(journal).settings;
    return agents?.strangers?.files !== true && isStranger(channel, ownersNow(), channels);
  }

  function ownersNow(): Set<string> {
    const named = usableSettings(journal).settings.agents?.owners ?? [];
    return new Set([...named, ...readOwners(journal)]);
  }

  async function handleDecision(decision: Extract<Incoming, { kind: "decision" }>): Promise<void> {
    const { queryId, userId, data, chatId, messageId } = decision;
    const pressed = decisionOf(data);
    if (!pressed || !isAllowed(userId)) {
      await tryToTell(() => api.answerCallbackQuery(queryId, { text: "That isn't yours to decide." }), "not answered");
      return;
    }
    if (!ownersNow().has(`telegram:${userId}`)) {
      // The buttons stay, for an owner to press.
      await tryToTell(() => api.answerCallbackQuery(queryId, { text: ownerDecides, show_alert: true }), "not answered");
      return;
    }
    const { token, ...said } = pressed;
    const before = readQuestion(journal, token);
    questions.forget(token);
    // Said all the same: the first answer counts, wherever that is decided.
    await agent.decide(token, { ...said, userId });
    const text = answerToPress(said, userId, { before, now: before && (await onceDecided(before)) });
    await tryToTell(() => api.answerCallbackQuery(queryId, { text }), "a press of a button wasn't answered");
    if (chatId !== null && messageId !== null)
      await tryToTell(() => api.editMessageReplyMarkup(chatId, messageId), "the buttons weren't removed");
  }

  /** The question once it is decided, or as it is when that takes long. */
  async function onceDecided(question: KeptQuestion): Promise<KeptQuestion> {
    for (let now = question, waited = 0; ; waited += lookMs) {
      if (now.decision !== undefined || waited >= decidedMs || signal.aborted) return now;
      await delay(lookMs, undefined, { signal }).catch(() => {});
      now = readQuestion(journal, question.id) ?? now;
    }
  }

  /** Tells the user something that may fail: the rest goes on. */
  async function tryToTell(work: () => Promise<unknown>, problem: string): Promise<void> {
    await work().catch((error: unknown) => log.warn({ error: toDeliveryError(error).message }, problem));
  }
}
