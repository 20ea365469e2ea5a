/** Calls of Twilio's HTTP API: a message that goes out, and whether the account is known. */
import { z } from "zod";
import { parseJson } from "../../protocol/json/parse-json.ts";
import { PermanentDeliveryError } from "../adapter/delivery-errors.ts";
import { readBounded } from "../adapter/calls/read-bounded.ts";
import { retryAfterMs } from "../adapter/calls/retry-after.ts";
import type { TwilioAccount } from "./sms-config.ts";
import { failureOf, noAnswer } from "./twilio-failures.ts";

const withinMs = 30_000;
const maxAnswerBytes = 256 * 1024;

export type NewSms = { to: string; from: string; text: string; mediaUrl?: string; statusUrl: string };

const Created = z.looseObject({
  sid: z.string().min(1).max(64),
  status: z.string().optional(),
  error_code: z.number().nullish(),
  error_message: z.string().nullish(),
});

/**
 * Hands a message to Twilio, which has no way to be told that it is the same as before.
 * @returns the message's id there, once Twilio has accepted it
 * @throws a delivery error
 */
export async function createSms(account: TwilioAccount, sms: NewSms, signal: AbortSignal): Promise<string> {
  const sender = sms.from.startsWith("MG") ? "MessagingServiceSid" : "From";
  const form = new URLSearchParams({ To: sms.to, [sender]: sms.from, StatusCallback: sms.statusUrl });
  if (sms.text !== "") form.set("Body", sms.text);
  if (sms.mediaUrl !== undefined) form.set("MediaUrl", sms.mediaUrl);
  const body = await call(account, "/Messages.json", { method: "POST", body: form }, signal);
  const created = Created.safeParse(asJson(body));
  if (!created.success) throw new Error("Twilio's answer can't be read: nobody knows whether the message was accepted");
  const { sid, status, error_code: code } = created.data;
  if (status === "failed" || status === "undelivered")
    throw new PermanentDeliveryError(`Twilio: ${status} ${code ?? ""}`);
  return sid;
}

/** @throws CredentialsRefusedError, or another error where it isn't known */
export async function checkAccount(account: TwilioAccount, signal: AbortSignal): Promise<void> {
  await call(account, ".json", { method: "GET" }, signal);
}

async function call(account: TwilioAccount, path: string, init: RequestInit, signal: AbortSignal): Promise<string> {
  const until = AbortSignal.any([signal, AbortSignal.timeout(withinMs)]);
  const asked = fetch(`${account.apiUrl}/2010-04-01/Accounts/${account.sid}${path}`, {
    ...init,
    headers: { Authorization: basicAuth(account), Accept: "application/json" },
    redirect: "manual",
    signal: until,
  });
  const [response, body] = await asked
    .then(async (answer) => [answer, (await readBounded(answer, maxAnswerBytes)).toString("utf8")] as const)
    .catch((error: unknown) => {
      throw noAnswer(error);
    });
  if (response.ok) return body;
  throw failureOf(response.status, body, retryAfterMs(response.headers.get("retry-after"), Date.now()));
}

export const basicAuth = ({ sid, token }: TwilioAccount) =>
  `Basic ${Buffer.from(`${sid}:${token}`).toString("base64")}`;

function asJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
