/** The played services of the channels whose rooms are apart: all but the page's own, which has one person. */
import { hasDovecot } from "../../support/dovecot.ts";
import { playMail } from "../mail/played-mail.ts";
import { playSignal } from "../signal/played-signal.ts";
import { playSlack } from "../slack/played-slack.ts";
import { playSms } from "../sms/played-sms.ts";
import type { PlayedService } from "../table/played-service.ts";
import { playTelegram } from "../telegram/played-telegram.ts";
import { playWebhook } from "../webhook/played-webhook.ts";

/** Starts them, mail where its server is installed. */
export async function playServices(): Promise<PlayedService[]> {
  const starts = [playTelegram, playSlack, playSms, playSignal, playWebhook, ...(hasDovecot ? [playMail] : [])];
  return Promise.all(starts.map((start) => start()));
}
