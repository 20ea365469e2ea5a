/** A part of a text goes out with its markup; where Telegram doesn't take that, without. */
import { type Api, GrammyError } from "grammy";
import { askedBy } from "../../adapter/questions/asked-question.ts";
import { PermanentDeliveryError } from "../../adapter/delivery-errors.ts";
import { toDeliveryError } from "../calls/failures.ts";
import type { TextPart } from "./parts.ts";
import { buttonsFor } from "../questions/permission.ts";
import { threadOf } from "../calls/thread.ts";

/** The client names the signal of another library, which this one fits. */
type SendSignal = Parameters<Api["sendMessage"]>[3];

/** Answers of the Bot API that refuse the markup, or its length, and not the message. */
const refusedMarkup = /can't parse entities|too.long/i;

/** @returns the id that Telegram gave it @throws a delivery error */
export async function sendText(api: Api, { text, html, ...message }: TextPart, signal: AbortSignal): Promise<number> {
  if (text.trim() === "") throw new PermanentDeliveryError("there is no text, and nothing else is sent");
  const { channel } = message;
  const question = askedBy(message);
  const options = { ...threadOf(channel), ...(question && { reply_markup: buttonsFor(question) }) };
  const send = (what: string, more: { parse_mode?: "HTML" }) =>
    api.sendMessage(channel.channelId, what, { ...options, ...more }, signal as SendSignal);
  try {
    const sent =
      html === undefined
        ? await send(text, {})
        : await send(html, { parse_mode: "HTML" }).catch((error: unknown) => {
            if (!(error instanceof GrammyError && isOfMarkup(error))) throw error;
            return send(text, {});
          });
    return sent.message_id;
  } catch (error) {
    throw toDeliveryError(error);
  }
}

const isOfMarkup = ({ error_code, description }: GrammyError) => error_code === 400 && refusedMarkup.test(description);
