/** The settings of the channel, checked as a whole: what is missing is said at the start. */
import { join } from "node:path";
import { readChannelSecret } from "../../journal/channels/channel-secret.ts";
import { SettingsError } from "../../journal/config/settings.ts";
import type { AdapterDeps } from "../adapter/open-adapter.ts";

export const publicApi = "https://api.twilio.com";
export const usualPort = 6274;

/** Where Twilio is, and as whom it is spoken to. */
export type TwilioAccount = { apiUrl: string; sid: string; token: string };

export type SmsConfig = {
  account: TwilioAccount;
  /** A number, or the id of a messaging service. */
  from: string;
  port: number;
  /** Without a slash at its end. */
  publicUrl: string;
};

/** @throws SettingsError, ChannelSecretError */
export function readSmsConfig({
  journal,
  settings,
  env,
}: Pick<AdapterDeps, "journal" | "settings" | "env">): SmsConfig {
  const { account_sid: sid, from, public_url: publicUrl, api_url: apiUrl = publicApi, port = usualPort } = settings;
  if (sid === undefined || from === undefined || publicUrl === undefined)
    throw problem(journal, "channels.sms: expected account_sid, from and public_url");
  if (/[?#]/.test(publicUrl) || URL.parse(publicUrl)?.username)
    throw problem(journal, "channels.sms.public_url: expected an address without ?, # and a name");
  const token = readChannelSecret(journal, env, {
    name: "channels.sms.auth_token",
    file: settings.auth_token_file,
    variable: settings.auth_token_env,
  });
  return { account: { apiUrl: unslashed(apiUrl), sid, token }, from, port, publicUrl: unslashed(publicUrl) };
}

const unslashed = (url: string) => (url.endsWith("/") ? url.replace(/(?<!\/)\/+$/, "") : url);

const problem = (journal: string, text: string) => new SettingsError(join(journal, "cortex.json"), [text]);
