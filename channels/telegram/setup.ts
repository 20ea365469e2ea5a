/** Set-up of the channel `telegram`. */
import { Api } from "grammy";
import { readChannelSecret } from "../../journal/channels/channel-secret.ts";
import { allowQuestion, type ChannelSetup, pairStep } from "../adapter/setup.ts";
import { apiRootOf } from "./api-root.ts";
import { toDeliveryError } from "./calls/failures.ts";

const timeoutSeconds = 15;

export const telegramSetup: ChannelSetup = {
  before: ["Write to @BotFather on Telegram: /newbot, a name, a user name that ends in bot. It answers with a token."],
  questions: [
    { setting: "token_file", ask: "The bot's token (123456:AbC…)", secretFile: "telegram-token" },
    allowQuestion("ids of people on Telegram; @userinfobot tells yours"),
  ],
  check: async ({ journal, settings, env, signal }) => {
    const place = { name: "channels.telegram.token", file: settings.token_file, variable: settings.token_env };
    const api = new Api(readChannelSecret(journal, env, place), { apiRoot: apiRootOf(settings), timeoutSeconds });
    try {
      const { username } = await api.getMe(signal as Parameters<Api["getMe"]>[0]);
      return `the bot @${username}`;
    } catch (error) {
      throw new Error(toDeliveryError(error).message, { cause: error });
    }
  },
  after: () => ["Write to the bot on Telegram", pairStep],
};
