/** The channel `sms`: a number of Twilio's, whose messages Twilio posts, and which sends by its HTTP API. */
import { publishReceipt } from "../../bus/agents/inbound.ts";
import { storedAttachment } from "../../files/attachment-store.ts";
import { attachmentRules, attachmentsFolder } from "../../journal/attachments/take-attachments.ts";
import { ChannelSecretError } from "../../journal/channels/channel-secret.ts";
import { noFiles } from "../../journal/channels/known-people.ts";
import { LateFailures } from "../../journal/channels/late-failures.ts";
import { StoppedNumbers } from "../../journal/channels/stopped-numbers.ts";
import { usableSettings } from "../../journal/config/settings.ts";
import type { Attachment } from "../../protocol/agents/channel.ts";
import type { AgentSide, ChannelAdapter } from "../adapter/adapter.ts";
import { PermanentDeliveryError } from "../adapter/delivery-errors.ts";
import { storedOrRefused } from "../adapter/http-server.ts";
import type { AdapterDeps } from "../adapter/open-adapter.ts";
import { refusesFilesOf } from "../adapter/senders/owners-now.ts";
import { Senders } from "../adapter/senders/senders.ts";
import { fetchMedia } from "./fetch-media.ts";
import { helpText, keywordOf } from "./keywords.ts";
import { mediaPath } from "./media-links.ts";
import type { ReceivedSms, StatusReport } from "./received-sms.ts";
import { readSmsConfig, type SmsConfig } from "./sms-config.ts";
import { smsParts } from "./sms-parts.ts";
import { smsServer } from "./sms-server.ts";
import { checkAccount, createSms } from "./twilio-api.ts";
import { CredentialsRefusedError, UnsubscribedError, unsubscribedCode } from "./twilio-failures.ts";
import { emptyTwiml, twimlMessage } from "./twiml.ts";

const lostStatuses = ["failed", "undelivered"];

export async function openSms(deps: AdapterDeps): Promise<ChannelAdapter> {
  const { journal, log } = deps;
  const config = readSmsConfig(deps);
  const { account, from, port, publicUrl } = config;
  const stopped = new StoppedNumbers(journal, "sms");
  const stopping = new AbortController();
  const signal = AbortSignal.any([deps.signal, stopping.signal]);
  let close = async () => {};
  let giveUp: AgentSide["giveUp"] = () => {};
  return {
    type: "sms",
    start: async (agent) => {
      giveUp = agent.giveUp;
      const handlers = {
        onMessage: messageHandler({ ...deps, signal }, config, stopped, agent),
        onStatus: statusHandler(deps, stopped),
      };
      const server = smsServer(config, journal, handlers, (error) => log.error({ err: error }, "a request failed"));
      close = () => server.close();
      // Others know this port: another one would be no use.
      const url = await server.listen({ host: "127.0.0.1", port });
      void checkAccount(account, signal).catch((error: unknown) => {
        if (error instanceof CredentialsRefusedError) giveUp(refused(error));
        else if (!signal.aborted) log.warn({ error: (error as Error).message }, "the account wasn't checked");
      });
      return { url };
    },
    split: smsParts,
    deliver: async (message, deliverySignal) => {
      const { channelId: to } = message.channel;
      if (!/^\+?\d{3,15}$/.test(to)) throw new PermanentDeliveryError(`"${to}" isn't a phone number`);
      if (stopped.has(to))
        throw new PermanentDeliveryError(
          `${to} has asked for no more messages (STOP): nothing goes out until it sends START`,
        );
      const [picture] = message.attachments ?? [];
      if (message.text.trim() === "" && !picture?.id)
        throw new PermanentDeliveryError("there is no text, and nothing else is sent");
      if (picture?.id && !(await storedAttachment(attachmentsFolder(journal), picture.id)))
        throw new PermanentDeliveryError(`the file ${picture.name ?? ""} isn't stored any more`);
      const link = picture?.id && mediaPath(account.token, { message: message.id, file: picture.id }, Date.now());
      const statusUrl = `${publicUrl}/status/${message.id}`;
      const sms = { to, from, text: message.text, statusUrl, ...(link && { mediaUrl: publicUrl + link }) };
      try {
        return { external_id: await createSms(account, sms, deliverySignal) };
      } catch (error) {
        if (error instanceof CredentialsRefusedError) giveUp(refused(error));
        if (error instanceof UnsubscribedError) await stopped.add(to, error.message);
        throw error;
      }
    },
    stop: async () => {
      stopping.abort();
      await close();
    },
  };
}

const refused = (error: Error) =>
  new ChannelSecretError(`channels.sms: account_sid and auth_token aren't taken: ${error.message}`);

/** Makes the handler of messages: one is stored, or noted, before it resolves with its answer. */
function messageHandler(
  { journal, settings, log, signal }: AdapterDeps,
  { account }: SmsConfig,
  stopped: StoppedNumbers,
  agent: AgentSide,
): (received: ReceivedSms) => Promise<string> {
  const senders = new Senders(journal, "sms", settings.allow);

  return async ({ message, media, takenByTwilio }) => {
    const { channelId: number, userId = number } = message.channel;
    const said = media.length === 0 ? keywordOf(message.text, stopped.has(number)) : null;
    const keyword = takenByTwilio ?? said;
    if (keyword === "stop") await stopped.add(number);
    if (keyword === "start") await stopped.remove(number);
    if (keyword !== null) log.info({ id: message.id, keyword }, "a word that ends, begins or explains messages");
    if (keyword !== null) return keyword === "help" && takenByTwilio === null ? twimlMessage(helpText) : emptyTwiml;
    if (!senders.mayWrite(userId)) {
      // No answer: it would cost, and tell a stranger that somebody is here.
      log.info({ id: message.id }, "a message of somebody who may not write");
      return emptyTwiml;
    }
    const attachments: Attachment[] = [];
    for (const one of media)
      attachments.push(
        refusesFilesOf(journal, message.channel)
          ? { name: one.name, ...(one.type && { type: one.type }), problem: noFiles }
          : await fetchMedia(
              { account, journal, rules: attachmentRules(usableSettings(journal).settings), signal },
              one,
            ),
      );
    for (const { name, problem } of attachments.filter((one) => one["problem"] !== undefined))
      log.warn({ id: message.id, name, problem }, "a file wasn't stored");
    await storedOrRefused(agent.send(attachments.length === 0 ? message : { ...message, attachments }));
    return emptyTwiml;
  };
}

/** Makes the handler of reports on messages that went out: Twilio had accepted them, so their receipts are told, and another one follows. */
function statusHandler({ journal, bus, log }: AdapterDeps, stopped: StoppedNumbers) {
  const lateFailures = new LateFailures(journal, "sms");

  return async (id: string, { MessageSid: sid, MessageStatus: status, ErrorCode: code, To: to }: StatusReport) => {
    if (code === unsubscribedCode) await stopped.add(to, `Twilio: ${code}`);
    if (!lostStatuses.includes(status)) return;
    const error =
      code === undefined
        ? `Twilio: ${status}`
        : `Twilio: ${status} ${code}, https://www.twilio.com/docs/api/errors/${code}`;
    const isNew = await lateFailures.note({ id, external_id: sid, status, error, ts: Date.now() });
    if (isNew) log.warn({ id, external_id: sid, error }, "sms: a message that Twilio had accepted didn't arrive");
    await storedOrRefused(publishReceipt(bus, id, { ok: false, late: true, error, external_id: sid }));
  };
}
