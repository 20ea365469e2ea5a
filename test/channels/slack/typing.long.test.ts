/** "… is typing" of the slack channel: where it stands, and when it goes. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { publishChannelTurns } from "../../../bus/agents/channel-turns.ts";
import type { AgentNews } from "../../../protocol/agents/agent-event.ts";
import { AgentsSystem, type Mind } from "../../agents/agents-system.ts";
import { appToken, botToken, SlackApi } from "./slack-api.ts";
import { SlackPeople, startBot, toAda } from "./slack-bot.ts";

const typing = "is typing…";
const setStatus = "assistant.threads.setStatus";

test("it stands below a direct message until the answer comes, which goes into the room itself", async () => {
  await using bot = await startBot();
  const { people, system, api } = bot;
  const ts = people.write("hello");
  await system.until(() => api.statuses.get(`D17 ${ts}`) === typing, "it is typing");
  await system.say(toAda("r1"));
  await system.until(() => api.statuses.size === 0, "it is answered");
  expect(api.sent).toMatchObject([{ channel: "D17", text: "text of r1" }]);
  expect(api.sent[0]).not.toHaveProperty("thread_ts");
  const former = people.write("one");
  await system.until(() => api.statuses.has(`D17 ${former}`), "it is typing below the first");
  const latter = people.write("two");
  await system.until(() => api.statuses.has(`D17 ${latter}`) && api.statuses.size === 1, "below the last one alone");
});

test("it stands in the thread of a message, or in the one that a mention opens", async () => {
  await using bot = await startBot();
  const { people, system, api } = bot;
  const asked = people.write("<@U0BOT> what is this?", { room: "C1" });
  await system.until(() => api.statuses.get(`C1 ${asked}`) === typing, "it is typing");
  const channel = { type: "slack", channelId: "C1", replyTo: asked };
  await system.say({ ...toAda("r1"), channel });
  await system.receipt("r1");
  await system.until(() => api.statuses.size === 0, "it is answered");
  people.write("and that?", { room: "C1", thread: asked });
  await system.until(() => api.statuses.get(`C1 ${asked}`) === typing, "it is typing in the thread");
  await system.say({ ...toAda("r2"), channel });
  await system.until(() => api.statuses.size === 0, "that is answered, too");
  // Slack has taken it away with the answer: it is told so all the same, since a file may not do that.
  const told = () => api.calls.flatMap(({ method, payload }) => (method === setStatus ? [payload] : []));
  await system.until(() => told().length === 4, "each was shown and taken away");
  const place = { channel_id: "C1", thread_ts: asked };
  expect(told()).toEqual([typing, "", typing, ""].map((status) => ({ ...place, status })));
});

test("it goes when the turn ends without an answer, and comes back for a turn that begins behind one", async () => {
  await using bot = await startBot();
  const { people, system, api } = bot;
  const agents = await system.server.as("agents");
  const tell = (event: AgentNews["event"], id = "") =>
    publishChannelTurns(agents, {
      event,
      ts: Date.now(),
      agent_id: "tz4a98xxat96iws9zmbrgj3a",
      items: [`slack:${id}`],
    });
  const first = people.write("say nothing");
  await system.until(() => api.statuses.has(`D17 ${first}`) && system.messages.length === 1, "it is typing");
  tell("turn_ended", system.messages[0]?.id);
  await system.until(() => api.statuses.size === 0, "the turn has ended");
  expect(api.sent).toEqual([]);
  const second = people.write("wait");
  await system.until(() => api.statuses.has(`D17 ${second}`) && system.messages.length === 2, "it is typing again");
  await system.say(toAda("r1"));
  await system.until(() => api.statuses.size === 0, "something else was answered");
  tell("turn_started", system.messages[1]?.id);
  await system.until(() => api.statuses.has(`D17 ${second}`), "the turn of the second has begun");
});

test("a refusal holds nothing up and is one quiet line; one that would come again is the last", async () => {
  await using bot = await startBot();
  const { people, system, api } = bot;
  let count = 0;
  const called = () => api.calls.filter(({ method }) => method === setStatus).length;
  const talk = async () => {
    const number = ++count;
    people.write(`message ${number}`);
    await system.until(() => system.messages.length === number, "it is taken");
    await system.until(() => api.failuresLeft(setStatus) === 0, "it was tried");
    await system.say(toAda(`r${number}`));
    expect(await system.receipt(`r${number}`)).toMatchObject({ ok: true });
    await system.until(() => api.statuses.size === 0, "nothing is shown");
  };
  for (const failure of [
    { error: "channel_not_found" },
    { error: "invalid_thread_ts" },
    { retryAfter: 30 },
    "reset",
  ] as const) {
    api.fail(setStatus, failure);
    await talk();
  }
  expect(called()).toBe(4);
  const ts = people.write("it works now");
  await system.until(() => api.statuses.has(`D17 ${ts}`), "it is typing");
  count++;
  await system.say(toAda("r5"));
  await system.until(() => api.statuses.size === 0, "it is answered");
  const before = called();
  api.fail(setStatus, { error: "missing_scope" });
  await talk();
  await system.until(() => bot.first.log.includes("typing is shown no more"), "that is said");
  await talk();
  expect(called()).toBe(before + 1);
  expect(await bot.first.stop()).toBe(0);
  const lines = bot.first.log.split("\n").filter((line) => line.includes("typing"));
  expect(lines).toHaveLength(5);
  for (const [at, code] of [
    "channel_not_found",
    "invalid_thread_ts",
    "ratelimited",
    "Slack",
    "missing_scope",
  ].entries())
    expect(lines[at]).toContain(code);
});

test("in a whole system it stands while the model thinks, and goes with the answer, and with a turn that says nothing", async () => {
  await using api = await SlackApi.start();
  const people = new SlackPeople(api);
  await using system = await AgentsSystem.start(
    {
      channels: {
        web: { enabled: false },
        slack: { app_token_file: "app-token", bot_token_file: "bot-token", api_url: `${api.root}/api` },
      },
      agents: { join_window_ms: 0, owners: ["slack:U17"], binding: "perChannel" },
    },
    {},
    {},
    (journal) => {
      for (const [name, token] of Object.entries({ "app-token": appToken, "bot-token": botToken }))
        writeFileSync(join(journal, name), token, { mode: 0o600 });
    },
  );
  await system.until(() => system.up.isReady("channel-slack"), "the channel is ready");
  const thinkAbout = (mind: Mind) => {
    const [asked, thought] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    system.think("[channel:", async (conversation) => {
      asked.resolve();
      await thought.promise;
      return mind(conversation);
    });
    return { asked: asked.promise, thought };
  };
  const answer: Mind = ({ results }) =>
    results.length > 0
      ? { text: "." }
      : { calls: [{ tool: "reply", args: { text: "Soon.", channelType: "slack", channelId: "U17" } }] };
  for (const [mind, answers] of [
    [answer, 1],
    [() => ({ text: "." }), 1],
  ] as const) {
    const { asked, thought } = thinkAbout(mind);
    const ts = people.write("when?");
    await asked;
    await system.until(() => api.statuses.get(`D17 ${ts}`) === typing, "it is typing");
    thought.resolve();
    await system.until(() => api.statuses.size === 0, "the turn is over");
    await system.until(() => api.sent.length === answers, "what is said is said");
    const agent = await system.agentOf({ type: "slack", channelId: "U17", userId: "U17" });
    await system.until(() => !system.state(agent).turn, "its turn has ended");
  }
  expect(api.sent.map(({ text }) => text)).toEqual(["Soon."]);
});
