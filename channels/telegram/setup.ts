/** Set-up of the channel `telegram`. */
import { z } from "zod";
import { readChannelSecret } from "../../journal/channels/channel-secret.ts";
import { parseJson } from "../../protocol/json/parse-json.ts";
import { allowQuestion, type ChannelSetup, pairStep } from "../adapter/setup.ts";
import { apiRootOf } from "./api-root.ts";

const Answer = z.object({
  ok: z.boolean(),
  error_code: z.number().optional(),
  description: z.string().optional(),
  result: z.object({ username: z.string() }).optional(),
});

export const telegramSetup: ChannelSetup = {
  before: ["Write to @BotFather on Telegram: /newbot, a name, a user name that ends in bot. It answers with a token."],
  questions: [
    { setting: "token_file", ask: "The bot's token (123456:AbC…)", secretFile: "telegram-token" },
    allowQuestion("ids of people on Telegram; @userinfobot tells yours"),
  ],
  check: async ({ journal, settings, env, signal }) => {
    const place = { name: "channels.telegram.token", file: settings.token_file, variable: settings.token_env };
    const token = readChannelSecret(journal, env, place);
    const root = apiRootOf(settings);
    // Without the client's library, whose start takes longer than the call; and no error of the call is shown, since it names the address.
    const answer = await fetch(`${root}/bot${token}/getMe`, { signal, redirect: "manual" })
      .then(async (response) => Answer.parse(parseJson(await response.text())))
      .catch(() => {
        throw new Error(`${new URL(root).host} can't be reached, or isn't Telegram's API`);
      });
    if (!answer.result) throw new Error(`Telegram: ${answer.error_code ?? ""} ${answer.description ?? ""}`.trim());
    return `the bot @${answer.result.username}`;
  },
  after: () => ["Write to the bot on Telegram", pairStep],
};
