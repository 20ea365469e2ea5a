/** A message as Twilio posts it, and a report on one that went out. Pure. */
import { z } from "zod";
import { type InboundMessage, messageIdPattern } from "../../protocol/agents/channel.ts";
import { type Keyword, keywordByTwilio } from "./keywords.ts";

/** From Twilio: a message has ten files at most. */
const mostMedia = 10;

/** Twilio's signature vouches for it: whatever can be a message's id here will do. */
const sid = z.string().regex(messageIdPattern);
const number = z.string().regex(/^[\p{L}\p{N}+ .:-]{1,64}$/u);

const ReceivedSms = z.looseObject({
  MessageSid: sid,
  AccountSid: sid,
  From: number,
  To: number,
  Body: z.string().max(16_384).default(""),
  NumMedia: z.coerce.number().int().min(0).max(mostMedia).default(0),
  /** There where Twilio has answered STOP, START or HELP itself. */
  OptOutType: z.string().max(64).default(""),
});

export type RemoteMedia = { url: string; type: string | undefined; name: string };

export type ReceivedSms = {
  message: InboundMessage;
  accountSid: string;
  media: RemoteMedia[];
  /** The word as which Twilio has taken and answered it by itself; null: it hasn't. */
  takenByTwilio: Keyword | null;
};

/** @throws ZodError */
export function receivedSms(form: URLSearchParams): ReceivedSms {
  const { MessageSid, AccountSid, From, To, Body, NumMedia, OptOutType } = ReceivedSms.parse(Object.fromEntries(form));
  const media = Array.from({ length: NumMedia }, (_, index) => ({
    url: form.get(`MediaUrl${index}`) ?? "",
    type: form.get(`MediaContentType${index}`)?.slice(0, 256),
    name: `media-${index + 1}`,
  }));
  return {
    message: {
      id: MessageSid,
      text: Body,
      channel: { type: "sms", channelId: From, userId: From },
      metadata: { to: To },
    },
    accountSid: AccountSid,
    media,
    takenByTwilio: keywordByTwilio(OptOutType),
  };
}

const StatusReport = z.looseObject({
  MessageSid: sid,
  MessageStatus: z.string().max(64),
  ErrorCode: z.coerce.number().int().optional(),
  To: number,
});
export type StatusReport = z.infer<typeof StatusReport>;

/** @throws ZodError */
export const statusReport = (form: URLSearchParams): StatusReport => StatusReport.parse(Object.fromEntries(form));
