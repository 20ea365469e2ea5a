/** Threads of a channel of Slack as conversations of their own, on a whole system. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AgentsSystem, type Mind } from "../../agents/agents-system.ts";
import { patienceMs } from "../../support/patience.ts";
import { appToken, botToken, botUser, SlackApi } from "./slack-api.ts";
import { SlackPeople } from "./slack-bot.ts";

/** Replies once to each message, to its room. The thread isn't named. */
const replies: Mind = ({ last, results }) => {
  const text = `Heard ${/heron|ibis|egret/.exec(last)?.[0] ?? "nothing"}.`;
  const args = { text, channelType: "slack", channelId: "C1" };
  return results.length > 0 ? { text: "." } : { calls: [{ tool: "reply", args }] };
};

test("each mention in a channel begins a conversation, and its thread goes on with it", {
  timeout: 4 * patienceMs,
}, async () => {
  await using api = await SlackApi.start();
  const people = new SlackPeople(api);
  const slack = { app_token_file: "app-token", bot_token_file: "bot-token", api_url: `${api.root}/api` };
  const settings = {
    channels: { web: { enabled: false }, slack },
    agents: { owners: ["slack:U17"], binding: "perThread", join_window_ms: 0 },
  };
  await using system = await AgentsSystem.start(settings, {}, {}, (journal) => {
    for (const [name, token] of Object.entries({ "app-token": appToken, "bot-token": botToken }))
      writeFileSync(join(journal, name), `${token}\n`, { mode: 0o600 });
  });
  await system.until(() => system.up.isReady("channel-slack"), "the channel is ready");
  system.think("[channel:", replies);
  const mention = `<@${botUser}>`;
  /** The thread into which the answer came, and all that its model was told. */
  const heard = async (word: string) => {
    const posted = await system.until(() => api.sent.find(({ text }) => text === `Heard ${word}.`), word);
    return { thread: posted.thread_ts, told: system.askedOf(word)[0]?.said.join("\n") ?? "" };
  };
  const first = people.write(`${mention} the heron`, { room: "C1" });
  expect((await heard("heron")).thread).toBe(first);
  const second = people.write(`${mention} the ibis`, { room: "C1" });
  const other = await heard("ibis");
  expect(other.thread).toBe(second);
  expect(other.told).not.toContain("heron");
  people.write("the egret", { room: "C1", thread: first });
  const more = await heard("egret");
  expect(more.thread).toBe(first);
  expect(more.told).toContain("heron");
  expect(more.told).not.toContain("ibis");
});
