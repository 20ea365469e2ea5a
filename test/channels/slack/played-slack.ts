/** Slack as the common table of tests plays it: people who each speak with the bot alone. */
import type { PlayedService } from "../table/played-service.ts";
import { appToken, botToken, SlackApi } from "./slack-api.ts";
import { SlackPeople } from "./slack-bot.ts";

export async function playSlack(): Promise<PlayedService> {
  const api = await SlackApi.start();
  const people = new SlackPeople(api);
  const person = (userId: string) => ({ userId, channelId: userId });
  const roomOf = (userId: string) => `D${userId.slice(1)}`;
  return {
    type: "slack",
    settings: { app_token_file: "slack-app-token", bot_token_file: "slack-bot-token", api_url: `${api.root}/api` },
    secrets: { "slack-app-token": appToken, "slack-bot-token": botToken },
    people: { owner: person("U17"), others: { stranger: person("U18"), newcomer: person("U19") } },
    write: ({ userId }, text, file) => {
      if (!file) return people.write(text, { user: userId });
      api.files.set(file.name, { content: file.bytes, type: file.mime });
      return people.write(text, { user: userId, files: [file.name] });
    },
    repeat: (ts) => people.repeat(String(ts)),
    texts: ({ userId }) => api.sent.flatMap(({ channel, text }) => (channel === roomOf(userId) ? [text] : [])),
    files: ({ userId }) =>
      api.shared.flatMap(({ channel, name, content }) =>
        channel === roomOf(userId) ? [{ name, bytes: content }] : [],
      ),
    fail: (failure) => api.fail("chat.postMessage", failures[failure]),
    overtake: ({ userId }, older, later) => {
      const ts = api.newTs();
      people.write(later, { user: userId });
      return people.write(older, { user: userId, event: { ts, event_ts: ts } });
    },
    tearFile: () => api.fail("file", "torn"),
    token: {
      file: "slack-bot-token",
      refuse: () => void api.refusedTokens.set(botToken, "token_revoked"),
      accept: () => void api.refusedTokens.delete(botToken),
      why: "Slack refuses the token: token_revoked",
    },
    drop: () => api.socket.drop(),
    marked: "It is *open* at `pier 4`",
    decide: ({ userId }, question, decision) => {
      const shown = api.sent.findLast(({ text }) => text === question);
      people.press(shown, `cortex_${decision}`, tokenIn(shown?.blocks), userId);
    },
    [Symbol.asyncDispose]: async () => api[Symbol.asyncDispose](),
  };
}

const failures = { limit: { retryAfter: 1 }, broken: "reset", torn: "torn" } as const;

/** The value of the buttons of a question. */
const tokenIn = (blocks: unknown) => /"value":"([^"]+)"/.exec(JSON.stringify(blocks ?? []))?.[1] ?? "";
