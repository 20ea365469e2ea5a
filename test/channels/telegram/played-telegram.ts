/** Telegram for the common table of tests, by its played Bot API. */
import type { Person, PlayedService } from "../table/played-service.ts";
import { BotApi, botToken } from "./bot-api.ts";

const person = (id: number): Person => ({ userId: String(id), channelId: String(id) });

type Keyboard = { reply_markup: { inline_keyboard: { callback_data: string }[][] } };

export async function playTelegram(): Promise<PlayedService> {
  const api = await BotApi.start();
  const isIn = (who: Person) => (one: { chat_id: string }) => one.chat_id === who.channelId;
  return {
    type: "telegram",
    settings: { token_file: "bot-token", api_url: api.root },
    secrets: { "bot-token": `${botToken}\n` },
    people: { owner: person(17), others: { stranger: person(99), newcomer: person(33) } },
    write: ({ userId }, text, file) => {
      if (!file) return { id: api.write(text, {}, Number(userId)) };
      api.files.set(file.name, file.bytes);
      const document = {
        file_id: file.name,
        file_unique_id: file.name,
        file_name: file.name,
        mime_type: file.mime,
        file_size: file.bytes.length,
      };
      return { id: api.write("", { caption: text, document }, Number(userId)) };
    },
    repeat: (written) => api.repeat((written as { id: number }).id),
    texts: (who) => api.sent.filter(isIn(who)).map(({ text }) => text),
    files: (who) => api.sentFiles.filter(isIn(who)).map(({ name, content }) => ({ name, bytes: content })),
    fail: (failure) =>
      api.fail(
        "sendMessage",
        failure === "broken"
          ? "reset"
          : failure === "torn"
            ? "torn"
            : { error_code: 429, description: "Too Many Requests: retry after 1", parameters: { retry_after: 1 } },
      ),
    tearFile: () => api.fail("file", "torn"),
    token: {
      file: "bot-token",
      refuse: () => (api.token = ""),
      accept: () => (api.token = botToken),
      why: "401 Unauthorized",
    },
    drop: () => api.drop(),
    marked: "It is open at pier 4",
    decide: ({ userId }, _question, decision) => {
      const asked = api.calls.findLast((call) => "reply_markup" in call.payload)?.payload as Keyboard;
      const buttons = asked.reply_markup.inline_keyboard.flat();
      const data = buttons.find((button) => button.callback_data.startsWith(decision))?.callback_data;
      const from = { id: Number(userId), is_bot: false, first_name: "Ada" };
      api.happen({ callback_query: { id: "press", from, data } });
    },
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  };
}
