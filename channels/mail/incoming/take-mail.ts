/** A mail becomes a message for an agent. One that no person has written to us is passed over. */
import type { ImapFlow } from "imapflow";
import { attachmentRules, attachmentsFolder } from "../../../journal/attachments/take-attachments.ts";
import { noFiles } from "../../../journal/channels/known-people.ts";
import { readMailThread, writeMailThread } from "../../../journal/channels/mail-threads.ts";
import { usableSettings } from "../../../journal/config/settings.ts";
import type { Logger } from "../../../proc/logging/log.ts";
import type { Attachment, Channel, InboundMessage } from "../../../protocol/agents/channel.ts";
import type { AgentSide } from "../../adapter/adapter.ts";
import { refusesFilesOf } from "../../adapter/senders/owners-now.ts";
import type { MailAccount } from "../base/account.ts";
import { firstAuthservId } from "../senders/authentication-results.ts";
import { fetchFiles, unfetchedFiles } from "../content/fetch-files.ts";
import { fetchText } from "../content/fetch-text.ts";
import { type MailHeaders, messageIdOf, readHeaders } from "../base/headers.ts";
import { type TakenMail, timeOf } from "./mailbox.ts";
import { askedIn } from "../base/own-message-id.ts";
import { answerInWords } from "../base/said-answer.ts";
import type { MailPeople } from "../senders/people.ts";
import { type MailSender, senderOf } from "../senders/sender.ts";
import { type MailFile, partsOf } from "../content/structure.ts";
import { textWithSubject, threadOf } from "../base/thread.ts";
import { whyNobody } from "../senders/why-nobody.ts";
import { whyUnanswered } from "../senders/unanswered.ts";

export type MailTakerDeps = {
  journal: string;
  account: MailAccount;
  people: MailPeople;
  agent: AgentSide;
  log: Logger;
};

export class MailTaker {
  readonly #deps: MailTakerDeps;
  #hasHinted = false;

  constructor(deps: MailTakerDeps) {
    this.#deps = deps;
  }

  /** Resolves when the mail is stored, or passed over. @param isRepeated whether a message was taken before */
  async takeMail(client: ImapFlow, uid: number, isRepeated: (id: string) => boolean): Promise<TakenMail> {
    const { account, people, log } = this.#deps;
    const wanted = { uid: true, internalDate: true, headers: true, bodyStructure: true };
    const mail = await client.fetchOne(String(uid), wanted, { uid: true });
    // Somebody has moved it away meanwhile.
    if (!mail || !mail.headers) return { id: null, arrived: 0 };
    const arrived = timeOf(mail.internalDate);
    const headers = await readHeaders(mail.headers);
    const { from } = headers;
    const why = whyUnanswered(headers, account.address);
    if (from === null || why !== null) {
      log.info({ uid, why }, "a mail is passed over");
      return { id: null, arrived };
    }
    const sender = senderOf(headers, from, account);
    if (!sender.isBelieved) this.#hint(headers);
    if (!people.mayWrite(sender)) {
      log.info({ uid, sender: sender.userId }, "a mail is passed over: its sender isn't one of those who may write");
      return { id: null, arrived };
    }
    const id = messageIdOf(headers, sender.userId);
    if (isRepeated(id)) return { id: null, arrived };
    const { texts, files } = partsOf(mail.bodyStructure);
    const text = textWithSubject(headers, await fetchText(client, uid, texts));
    if (text === "" && files.length === 0) {
      log.info({ uid }, "a mail is passed over: it is empty");
      return { id: null, arrived };
    }
    await this.#say(client, uid, { id, headers, sender, text, files });
    // It holds nothing up: a mail that stays unread in the mailbox was taken all the same.
    void client.messageFlagsAdd(String(uid), ["\\Seen"], { uid: true }).catch(() => {});
    return { id, arrived };
  }

  async #say(
    client: ImapFlow,
    uid: number,
    {
      id,
      headers,
      sender,
      text,
      files,
    }: { id: string; headers: MailHeaders; sender: MailSender; text: string; files: MailFile[] },
  ): Promise<void> {
    const { account, agent } = this.#deps;
    const { address, userId, name, isBelieved } = sender;
    const asked = headers.inReplyTo === null ? null : askedIn(headers.inReplyTo, account.address);
    const replyTo = threadOf(headers, id, isBelieved);
    const channel: Channel = { type: "mail", channelId: address, userId, replyTo };
    const answer = answerInWords(text, asked);
    // The picture of a signature belongs to no answer.
    const attachments = answer === null ? await this.#filesOf(client, uid, channel, files) : [];
    await this.#noteThread(headers, address, replyTo);
    const message: InboundMessage = {
      id,
      text: answer ?? text,
      channel,
      metadata: {
        subject: headers.subject.slice(0, 500),
        ...(headers.messageId !== null && { message_id: headers.messageId }),
        ...(headers.date !== null && { date: headers.date.slice(0, 100) }),
        name: name === "" ? address : name,
      },
      ...(attachments.length > 0 && { attachments }),
    };
    await agent.send(message);
  }

  async #filesOf(client: ImapFlow, uid: number, channel: Channel, files: readonly MailFile[]): Promise<Attachment[]> {
    const { journal, log } = this.#deps;
    if (files.length === 0) return [];
    if (refusesFilesOf(journal, channel)) return unfetchedFiles(files, noFiles);
    const rules = attachmentRules(usableSettings(journal).settings);
    const attachments = await fetchFiles(client, uid, files, { folder: attachmentsFolder(journal), rules });
    for (const { name, problem } of attachments)
      if (problem !== undefined) log.warn({ uid, name, problem }, "a file wasn't stored");
    return attachments;
  }

  /** Before it is sent: whoever answers it needs it. */
  async #noteThread({ subject, references, messageId }: MailHeaders, address: string, thread: string): Promise<void> {
    const { journal } = this.#deps;
    const known = readMailThread(journal, address, thread);
    const messageIds = [...references, ...(messageId === null ? [] : [messageId])];
    if (messageIds.length > 0)
      await writeMailThread(journal, address, thread, { subject: known?.subject ?? subject, messageIds });
  }

  /** Says, once, what is lacking for anybody to be believed, and which server's results stand first. */
  #hint({ all }: MailHeaders): void {
    const why = this.#hasHinted ? null : whyNobody(all, this.#deps.account);
    if (why === null) return;
    this.#hasHinted = true;
    const first = firstAuthservId(all);
    this.#deps.log.warn({ first }, `nobody is believed by mail, since ${why}: docs/channels/mail.md`);
  }
}
