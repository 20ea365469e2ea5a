/** Set-up of the channel `webhook`. */
import { readChannelSecret } from "../../journal/channels/channel-secret.ts";
import type { ChannelSetup, SetupQuestion } from "../adapter/setup.ts";
import { secretProblem, secretWarning } from "./signature.ts";

const ownerQuestion: SetupQuestion = {
  setting: "owner",
  ask: "Are messages that name no user yours, as an owner (yes or no)",
  usual: "no",
  read: (answer) => {
    if (/^(?:yes|y|no|n)$/i.test(answer)) return /^y/i.test(answer);
    throw new Error("expected yes or no");
  },
};

export const webhookSetup: ChannelSetup = {
  before: ["A program that signs what it sends, as https://www.standardwebhooks.com has it, and its secret"],
  questions: [
    {
      setting: "secret_file",
      ask: 'The secret (whsec_…; make one: echo "whsec_$(openssl rand -base64 32)")',
      secretFile: "webhook-secret",
    },
    { setting: "url", ask: "Where answers go (https://…; empty: nowhere)", usual: null },
    ownerQuestion,
  ],
  check: async ({ journal, settings, env }) => {
    const place = { name: "channels.webhook.secret", file: settings.secret_file, variable: settings.secret_env };
    const secret = readChannelSecret(journal, env, place);
    const problem = secretProblem(secret);
    if (problem !== undefined) throw new Error(`channels.webhook.secret: ${problem}`);
    const warning = secretWarning(secret);
    const found = warning === undefined ? "a secret" : `a secret (${warning})`;
    return `${found}; ${settings.url === undefined ? "nothing goes out" : `answers go to ${new URL(settings.url).host}`}`;
  },
  after: ({ port = 6272 }) => [`Send to http://127.0.0.1:${port}/, signed: the README has an example`],
};
