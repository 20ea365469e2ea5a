/** Set-up of the channel `sms`. */
import { allowQuestion, type ChannelSetup, pairStep } from "../adapter/setup.ts";
import { readSmsConfig, usualPort } from "./sms-config.ts";
import { checkAccount } from "./twilio-api.ts";

export const smsSetup: ChannelSetup = {
  before: [
    "https://console.twilio.com: buy a number that has SMS. The account's SID and its auth token stand on its first page",
    "Put a proxy that has TLS before the channel's port on this machine: Twilio comes from outside",
  ],
  questions: [
    { setting: "account_sid", ask: "The account's SID (AC…)" },
    { setting: "auth_token_file", ask: "Its auth token", secretFile: "twilio-auth-token" },
    { setting: "from", ask: "The number (+15005550006), or the SID of a messaging service (MG…)" },
    { setting: "public_url", ask: "The address under which the proxy is reached (https://sms.example.org)" },
    allowQuestion("numbers, +491700000001"),
  ],
  check: async ({ journal, settings, env, signal }) => {
    const { account, from } = readSmsConfig({ journal, settings, env });
    await checkAccount(account, signal);
    return `the account ${account.sid}; messages go out from ${from}`;
  },
  after: ({ public_url: url, port = usualPort }) => [
    `The number's settings at Twilio, Messaging, A message comes in: Webhook, ${url}#rc=5&rp=all, HTTP POST`,
    `The proxy hands ${url} on to http://127.0.0.1:${port}`,
    pairStep,
  ],
};
