/** The channel `mail`: a mailbox that is read by IMAP, and answers by SMTP. */
import type { ChannelAdapter } from "../adapter/adapter.ts";
import { PermanentDeliveryError, RetryableDeliveryError } from "../adapter/delivery-errors.ts";
import type { AdapterDeps } from "../adapter/open-adapter.ts";
import { mailAccount, MailPasswordError } from "./base/account.ts";
import { normalAddress } from "./base/address.ts";
import { AnswerLimit } from "./outgoing/answer-limit.ts";
import { composeMail, splitMail } from "./outgoing/compose.ts";
import { readMailbox } from "./incoming/mailbox.ts";
import { MailPeople } from "./senders/people.ts";
import { sendMail } from "./outgoing/send-mail.ts";
import { MailTaker } from "./incoming/take-mail.ts";

export async function openMail(deps: AdapterDeps): Promise<ChannelAdapter> {
  const { journal, settings, log } = deps;
  const account = mailAccount(deps, settings);
  const people = new MailPeople(journal, settings.allow);
  const limit = new AnswerLimit(account.answersPerHour);
  const stopping = new AbortController();
  const signal = AbortSignal.any([deps.signal, stopping.signal]);
  let giveUp = (_error: Error) => {};
  return {
    type: "mail",
    start: async (agent) => {
      giveUp = agent.giveUp;
      const taker = new MailTaker({ journal, account, people, agent, log });
      // What comes from now on is taken: so the place of a mailbox that is read for the first time has to be known.
      const opened = Promise.withResolvers<void>();
      const reading = readMailbox({
        journal,
        server: account.imap,
        takeMail: (client, uid, isRepeated) => taker.takeMail(client, uid, isRepeated),
        onOpened: opened.resolve,
        log,
        signal,
      });
      reading.catch((error: unknown) => giveUp(error as Error));
      await Promise.race([opened.promise, reading]);
      return {};
    },
    split: splitMail,
    deliver: async (message, given) => {
      const to = normalAddress(message.channel.channelId);
      if (to === null) throw new PermanentDeliveryError(`${message.channel.channelId} is no address`);
      if (to === account.address)
        throw new PermanentDeliveryError("a mail to the channel's own address would come back");
      if (!limit.hasRoom(to, Date.now()))
        throw new PermanentDeliveryError(
          `${account.answersPerHour} mails went to ${to} within an hour (channels.mail.answers_per_hour): two machines may be answering each other`,
        );
      const { messageId, content } = await composeMail(journal, account.address, to, message);
      try {
        await sendMail(account.smtp, { from: account.address, to, content }, given);
      } catch (error) {
        if (!(error instanceof MailPasswordError)) throw error;
        giveUp(error);
        // It waits for the right password.
        throw new RetryableDeliveryError(error.message);
      }
      limit.note(to, Date.now());
      return { external_id: messageId.slice(0, 256) };
    },
    stop: async () => stopping.abort(),
  };
}
