/** The slack channel against a server that plays Slack: what comes in. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeOwners } from "../../../journal/agents/owners.ts";
import { contentPath } from "../../../protocol/files/attachment.ts";
import { png } from "../../support/files/sample-files.ts";
import { appToken, botToken, team } from "./slack-api.ts";
import { startBot, toAda } from "./slack-bot.ts";

const mention = "<@U0BOT>";

test("a direct message comes with its sender's name, once, and bots, edits and those who join are no turns", async () => {
  await using bot = await startBot();
  const { people, system, api } = bot;
  const first = people.write("hello <@U18>, 1 &lt; 2 &amp; <https://example.com/a|see>");
  people.write("edited", { event: { subtype: "message_changed" } });
  people.write("gone", { event: { subtype: "message_deleted" } });
  people.write("joined", { room: "C1", event: { subtype: "channel_join" } });
  people.write("I am a bot", { event: { bot_id: "B7", subtype: "bot_message" } });
  people.write("own words", { user: "U0BOT", room: "D17" });
  const threaded = people.write("in a thread", { thread: first });
  people.write(" /new");
  people.write(" /pair 123456");
  people.write("last");
  await system.until(() => system.messages.at(-1)?.text === "last", "all");
  const channel = { type: "slack", channelId: "U17", userId: "U17" };
  expect(system.messages).toEqual([
    {
      id: `slack-${team}-D17-${first.replace(".", "-")}`,
      text: "hello @Bea, 1 < 2 & see (https://example.com/a)",
      channel,
      metadata: { ts: first, channel_type: "im", name: "Ada" },
    },
    expect.objectContaining({ text: "in a thread", channel: { ...channel, replyTo: first } }),
    expect.objectContaining({ text: "/new" }),
    expect.objectContaining({ text: "123456" }),
    expect.objectContaining({ text: "last" }),
  ]);
  expect(system.messages[1]?.metadata).toMatchObject({ ts: threaded });
  await system.until(() => api.socket.held.length === 0, "all are acknowledged");
  expect(await bot.first.stop()).toBe(0);
});

test("a mention opens its thread, where the bot is heard from then on, and after a restart too; other threads aren't its", async () => {
  await using bot = await startBot();
  const { people, system, api } = bot;
  const allTaken = () => system.until(() => api.socket.held.length === 0, "all are acknowledged");
  const asked = people.write(`${mention} what is this?`, { room: "C1" });
  await system.until(() => system.messages.length === 1, "the mention");
  expect(system.messages[0]).toMatchObject({
    text: "what is this?",
    channel: { channelId: "C1", userId: "U17", replyTo: asked },
  });
  people.write("not for you", { room: "C1" });
  people.write("and more of it", { room: "C1", thread: asked, user: "U18" });
  const others = people.write("a talk of others", { room: "C1" });
  people.write("in it", { room: "C1", thread: others });
  await allTaken();
  await bot.first.kill();
  await bot.start();
  people.write("after a restart", { room: "C1", thread: asked });
  people.write("still others", { room: "C1", thread: others });
  await allTaken();
  const late = people.write(`${mention} and you?`, { room: "C1", thread: others });
  people.write("it is part of it now", { room: "C1", thread: others });
  await system.until(() => system.messages.at(-1)?.text === "it is part of it now", "all");
  expect(system.messages.map(({ text, channel: { replyTo } }) => [text, replyTo])).toEqual([
    ["what is this?", asked],
    ["and more of it", asked],
    ["after a restart", asked],
    ["and you?", others],
    ["it is part of it now", others],
  ]);
  expect(system.messages[3]?.id).toContain(late.replace(".", "-"));
});

test("a mention and nothing else is a message: who says no more than the bot's name calls it", async () => {
  await using bot = await startBot();
  const { people, system, api } = bot;
  const nameless = people.write(mention, { room: "C1" });
  await system.until(() => system.messages.length === 1, "the mention");
  await bot.first.stop();
  api.people.set("U0BOT", "Cortex");
  await bot.start();
  people.write(` ${mention} `, { room: "C1", thread: nameless });
  people.write("  ");
  people.write(mention, { room: "C1", files: ["quay.png"] });
  await system.until(() => system.messages.length === 3, "all");
  expect(system.messages.map(({ text }) => text)).toEqual(["@U0BOT", "@Cortex", ""]);
  expect(system.messages[2]?.attachments).toHaveLength(1);
  await system.until(() => api.socket.held.length === 0, "all are acknowledged");
  expect(system.messages).toHaveLength(3);
});

test("a thread in which the bot has spoken is heard; where Slack doesn't say it, the bot waits for a mention", async () => {
  await using bot = await startBot();
  const { people, system, api } = bot;
  const talk = people.write("a talk", { room: "C1" });
  await system.say({ ...toAda("r1"), channel: { type: "slack", channelId: "C1", replyTo: talk } });
  await system.receipt("r1");
  people.write("thanks", { room: "C1", thread: talk });
  await system.until(() => system.messages.length === 1, "it is heard");
  const other = people.write("another", { room: "C1" });
  api.fail("conversations.replies", { retryAfter: 1 }, { error: "missing_scope" });
  people.write("unheard", { room: "C1", thread: other });
  people.write(`${mention} heard`, { room: "C1", thread: other });
  await system.until(() => system.messages.length === 2, "the mention");
  expect(system.messages.map(({ text }) => text)).toEqual(["thanks", "heard"]);
});

test("a message that Slack hands over again and again is one", async () => {
  await using bot = await startBot();
  const { people, system, api } = bot;
  await system.until(() => api.socket.isConnected, "it is connected");
  const agents = await system.server.as("agents");
  const isBack = system.server.killAndRestart(agents);
  people.write("once");
  people.write(`${mention} twice`, { room: "C1" });
  api.socket.repeat();
  api.socket.drop();
  await isBack;
  await system.until(() => api.socket.held.length === 0, "all are acknowledged");
  // They are acknowledged once they are stored, and heard a moment later.
  await system.until(() => system.messages.length >= 2, "both are heard");
  expect(system.messages.map(({ text }) => text).toSorted()).toEqual(["once", "twice"]);
});

test("killed with -9 again and again, it takes each message once and in order", async () => {
  await using bot = await startBot();
  const { people, system } = bot;
  let program = bot.first;
  const wanted: string[] = [];
  for (let n = 1; n <= 3; n++) {
    for (const part of ["a", "b", "c"]) {
      people.write(`${n}${part}`);
      wanted.push(`${n}${part}`);
    }
    await system.until(() => system.messages.length > (n - 1) * 3, "one of them");
    await program.kill();
    program = await bot.start();
  }
  people.write("last");
  await system.until(() => system.messages.at(-1)?.text === "last", "all");
  expect(system.messages.map(({ text }) => text)).toEqual([...wanted, "last"]);
});

test("it comes again when Slack asks for that, drops the line, refuses it for a while, or sends nonsense", async () => {
  await using bot = await startBot();
  const { people, system, api } = bot;
  const arrives = async (text: string) => {
    people.write(text);
    await system.until(() => system.messages.at(-1)?.text === text, text);
  };
  await arrives("first");
  const opened = () => api.socket.opened;
  let before = opened();
  api.socket.refresh("warning");
  await system.until(() => opened() > before, "it has come again");
  await arrives("second");
  before = opened();
  api.socket.tearsNext = true;
  await arrives("half an envelope, and then the whole one");
  expect(opened()).toBeGreaterThan(before);
  before = opened();
  api.fail("apps.connections.open", { error: "internal_error" }, { status: 502 }, "reset", { retryAfter: 1 });
  api.fail("auth.test", "half");
  api.socket.drop();
  await system.until(() => opened() > before, "it has come again");
  expect(api.failuresLeft("apps.connections.open")).toBe(0);
  for (const text of [
    "nonsense",
    "null",
    "{}",
    '{"type":"events_api","envelope_id":"e"}',
    '{"type":"events_api","envelope_id":"e","payload":{"event":{"type":"error"}}}',
  ])
    api.socket.sendRaw(text);
  await arrives("third");
  await arrives("fourth");
  expect(system.messages).toHaveLength(5);
  expect(await bot.first.stop()).toBe(0);
  for (const token of [appToken, botToken]) expect(bot.first.log).not.toContain(token);
});

test("files are stored, and what can't be had is said; a stranger's isn't fetched", async () => {
  await using bot = await startBot();
  const { people, system, api } = bot;
  api.files.set("photo.png", { content: png(), type: "image/png" });
  people.write("a stranger's", { files: ["photo.png"] });
  await system.until(() => system.messages.length === 1, "the first");
  expect(system.messages[0]?.attachments).toEqual([
    {
      name: "photo.png",
      type: "image/png",
      size: png().length,
      problem: "files of people whom I don't know aren't stored",
    },
  ]);
  expect(existsSync(join(system.journal, "attachments"))).toBe(false);
  await writeOwners(system.journal, ["slack:U17"]);
  people.write("", { files: ["photo.png", "gone.txt"] });
  const elsewhere = {
    name: "../../x.txt",
    mimetype: "text/plain",
    size: 3,
    url_private_download: "http://127.0.0.1:1/files/x.txt",
  };
  const shared = { id: "photo.png", file_access: "check_file_info" };
  people.write("elsewhere", { event: { subtype: "file_share", files: [elsewhere, shared, { id: "none" }] } });
  await system.until(() => system.messages.length === 3, "all");
  const [shown, gone] = system.messages[1]?.attachments ?? [];
  expect(shown).toEqual({ id: shown?.id, name: "photo.png", mime: "image/png", size: png().length });
  expect(readFileSync(join(system.journal, "attachments", contentPath(shown?.id ?? "")))).toEqual(png());
  expect(gone).toMatchObject({ name: "gone.txt", problem: "Slack answered 404" });
  expect(system.messages[2]?.attachments).toEqual([
    expect.objectContaining({ name: "../../x.txt", problem: "it isn't at Slack's own address" }),
    shown,
    { name: "file", problem: "Slack doesn't give it" },
  ]);
});

test("an owner may write whether the settings name them in `allow` or not", async () => {
  await using bot = await startBot({ allow: ["U17"] });
  const { people, system, api } = bot;
  await writeOwners(system.journal, ["slack:U18"]);
  people.write("from an owner", { user: "U18" });
  people.order("status", "U18");
  await system.until(() => system.messages.length === 2, "both are heard");
  expect(system.messages.map(({ text, channel }) => [text, channel.userId])).toEqual([
    ["from an owner", "U18"],
    ["/status", "U18"],
  ]);
  expect(api.sent).toEqual([]);
});

test("somebody who isn't allowed is told once, alone with the bot, and nothing of theirs reaches the bus", async () => {
  await using bot = await startBot({ allow: ["U17"] });
  const { people, system, api } = bot;
  people.write("let me in", { user: "U99" });
  people.write("please", { user: "U99" });
  people.write(`${mention} here?`, { user: "U99", room: "C1" });
  const ordered = people.order("status", "U99");
  people.press(undefined, "cortex_allow", "t1", "U99");
  await system.until(() => api.sent.length === 1 && api.socket.held.length === 0, "who isn't allowed is told");
  people.write("hello");
  await system.until(() => system.messages.length > 0, "who is allowed");
  expect(system.heard).toHaveLength(1);
  expect(api.sent).toMatchObject([{ channel: "D99", text: expect.stringContaining("private") }]);
  expect(api.socket.acknowledged.get(ordered)).toEqual({ text: expect.stringContaining("private") });
});

test("a command behind the slash is said to the agent", async () => {
  await using bot = await startBot();
  const { people, system, api } = bot;
  people.order("status");
  people.order("");
  people.order("pair");
  people.order("model x", "U18", "C1");
  await system.until(() => system.messages.length === 4 && api.socket.held.length === 0, "all");
  const alone = { type: "slack", channelId: "U17", userId: "U17" };
  const said = system.messages.map(({ text, channel, metadata }) => [text, channel, metadata]);
  expect(said).toContainEqual(["/status", alone, { name: "Ada" }]);
  expect(said).toContainEqual(["/help", alone, { name: "Ada" }]);
  expect(said).toContainEqual(["/pair", alone, { name: "Ada", command: "pair" }]);
  expect(said).toContainEqual(["/model x", { type: "slack", channelId: "C1", userId: "U18" }, { name: "Bea" }]);
});

test("what was read has eyes until it is answered; failures of that, and of names, hold nothing up", async () => {
  await using bot = await startBot();
  const { people, system, api } = bot;
  const ts = people.write("hello");
  await system.until(() => api.reactions.has(`D17 ${ts}`), "it is read");
  await system.say(toAda("r1"));
  await system.until(() => api.reactions.size === 0, "it is answered");
  api.fail("reactions.add", { error: "missing_scope" });
  api.fail("users.info", { status: 500 });
  people.write("again", { user: "U18" });
  await system.until(() => system.messages.length === 2, "it came");
  expect(system.messages[1]?.metadata).not.toHaveProperty("name");
  expect((await system.receipt("r1")).ok).toBe(true);
});
