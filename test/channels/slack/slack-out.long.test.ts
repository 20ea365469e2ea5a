/** The slack channel against a server that plays Slack: what goes out. */
import { mkdirSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { contentPath } from "../../../protocol/files/attachment.ts";
import { StopPoint } from "../../chaos/stop-point.ts";
import { appToken, botToken } from "./slack-api.ts";
import { startBot, toAda } from "./slack-bot.ts";

test("an answer goes to its room and thread as mrkdwn, mentions nobody, and its time there is the receipt", async () => {
  await using bot = await startBot();
  const channel = { type: "slack", channelId: "C1", replyTo: "1736380800.000007" };
  await bot.system.say({
    ...toAda("r1", "**Done**, <!channel> & <@U18>: [see](https://example.com/?a=1&b=2)"),
    channel,
  });
  expect(await bot.system.receipt("r1")).toEqual({ ok: true, external_id: bot.api.sent[0]?.ts });
  expect(bot.api.calls).toEqual([
    {
      method: "chat.postMessage",
      payload: {
        channel: "C1",
        thread_ts: "1736380800.000007",
        text: "*Done*, &lt;!channel&gt; &amp; &lt;@U18&gt;: <https://example.com/?a=1&amp;b=2|see>",
        unfurl_links: "false",
        unfurl_media: "false",
      },
    },
  ]);
  await bot.system.say(toAda("r2"));
  await bot.system.receipt("r2");
  expect(bot.api.sent[1]).toMatchObject({ channel: "D17", text: "text of r2" });
});

test("a long answer goes out in parts, each once, also when it is killed between two of them", async () => {
  await using bot = await startBot();
  await bot.first.stop();
  using stop = new StopPoint();
  const program = await bot.start(stop.env);
  const text = Array.from({ length: 300 }, (_, n) => `Line ${n} ${"x".repeat(30)}`).join("\n");
  stop.set("delivery-noted", 2);
  await bot.system.say(toAda("long", text));
  await bot.system.until(() => stop.isReached(), "two parts are noted");
  stop.clear();
  await program.kill();
  expect(bot.api.sent).toHaveLength(2);
  await bot.start();
  expect(await bot.system.receipt("long")).toEqual({
    ok: true,
    external_id: bot.api.sent.map(({ ts }) => ts).join(","),
  });
  expect(bot.api.sent.every((part) => part.text.length <= 4000)).toBe(true);
  expect(bot.api.sent.map((part) => part.text).join("\n")).toBe(text);
});

test("killed while a part is on its way, nothing more of it goes out, and that is told", async () => {
  await using bot = await startBot();
  await bot.first.stop();
  using stop = new StopPoint();
  const program = await bot.start(stop.env);
  stop.set("delivered", 2);
  await bot.system.say(toAda("long", `${"a".repeat(3900)}\n\n${"b".repeat(3900)}\n\n${"c".repeat(3900)}`));
  await bot.system.until(() => stop.isReached(), "the second part has arrived, and isn't noted");
  stop.clear();
  await program.kill();
  await bot.start();
  expect(await bot.system.receipt("long")).toMatchObject({ ok: false, unknown: true });
  await bot.system.say(toAda("next"));
  expect(await bot.system.receipt("next")).toMatchObject({ ok: true });
  expect(bot.api.sent.map(({ text }) => text[0])).toEqual(["a", "b", "t"]);
});

test("a refusal is told, a limit is waited out, and where nobody knows that is said, and nothing goes out twice", async () => {
  await using bot = await startBot();
  const { system, api } = bot;
  const said = async (id: string) => {
    await system.say(toAda(id));
    return system.receipt(id);
  };
  await system.say({ ...toAda("gone"), channel: { type: "slack", channelId: "C404" } });
  expect(await system.receipt("gone")).toEqual({ ok: false, error: "Slack: channel_not_found" });
  api.fail("chat.postMessage", { retryAfter: 1 }, { status: 503 }, { status: 429 });
  expect(await said("patient")).toMatchObject({ ok: true });
  api.fail("chat.postMessage", { retryAfter: 3600 });
  expect(await said("never")).toEqual({ ok: false, error: "Slack: ratelimited, and asks to wait for 3600 s" });
  for (const failure of ["reset", "lost", "torn", "half", { status: 500 }, { error: "fatal_error" }] as const) {
    api.fail("chat.postMessage", failure);
    const id = `unknown-${typeof failure === "string" ? failure : Object.keys(failure).join("")}`;
    expect(await said(id)).toMatchObject({ ok: false, unknown: true });
  }
  const toBot = { type: "slack", channelId: "U0BOT" };
  // Nothing was posted yet: it may be tried again.
  api.fail("conversations.open", "lost", { status: 500 }, { error: "cannot_dm_bot" });
  await system.say({ ...toAda("bot"), channel: toBot });
  expect(await system.receipt("bot")).toMatchObject({ ok: false, error: "Slack: cannot_dm_bot" });
  await system.say(toAda("blank", " \n "));
  expect(await system.receipt("blank")).toMatchObject({ ok: false });
  expect(api.sent.map(({ text }) => text)).toEqual(
    ["patient", "unknown-lost", "unknown-torn", "unknown-half"].map((id) => `text of ${id}`),
  );
  for (const token of [appToken, botToken]) expect(bot.first.log).not.toContain(token);
});

test("files go out behind the text; an upload that fails is tried again, and a share that breaks is unknown", async () => {
  await using bot = await startBot();
  const { system, api } = bot;
  const content = Buffer.from("# Notes\n");
  const id = createHash("sha256").update(content).digest("hex");
  const path = join(system.journal, "attachments", contentPath(id));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  const attachments = [{ id, name: "notes.md", mime: "text/markdown", size: content.length }];
  const channel = { type: "slack", channelId: "C1", replyTo: "1736380800.000007" };
  api.fail("upload", "reset");
  await system.say({ ...toAda("f1", "Here:"), channel, attachments });
  expect(await system.receipt("f1")).toMatchObject({ ok: true });
  expect(api.sent.map(({ text }) => text)).toEqual(["Here:"]);
  expect(api.shared).toEqual([{ channel: "C1", thread_ts: channel.replyTo, name: "notes.md", content }]);
  api.fail("files.completeUploadExternal", "lost");
  await system.say({ ...toAda("f2", ""), attachments });
  expect(await system.receipt("f2")).toMatchObject({ ok: false, unknown: true });
  await system.say({ ...toAda("f3", ""), attachments: [{ id: "0".repeat(64), name: "none.md" }] });
  expect(await system.receipt("f3")).toMatchObject({ ok: false, error: "the file none.md isn't stored any more" });
  expect(api.shared.map((one) => one.channel)).toEqual(["C1", "D17"]);
});

test("a token that is refused ends it for good, and what was to go out goes out once it is right", async () => {
  await using bot = await startBot();
  const { system, api } = bot;
  await system.until(() => api.socket.isConnected, "it is connected");
  api.refusedTokens.set(botToken, "token_revoked");
  await system.say(toAda("later"));
  expect(await bot.first.exited).toBe(125);
  expect(bot.first.log).toContain("token_revoked");
  expect(system.receipts("later")).toEqual([]);
  expect(await system.start("slack").exited).toBe(125);
  api.refusedTokens.clear();
  const good = await bot.start();
  expect(await system.receipt("later")).toMatchObject({ ok: true });
  expect(api.sent).toHaveLength(1);
  await system.until(() => api.socket.isConnected, "it is connected");
  api.refusedTokens.set(botToken, "account_inactive");
  api.socket.hand("events_api", { type: "event_callback", event: { type: "app_uninstalled" } });
  expect(await good.exited).toBe(125);
  api.refusedTokens.clear();
  const wrong = `${appToken}x`;
  bot.token("app-token", wrong);
  const program = system.start("slack");
  expect(await program.exited).toBe(125);
  expect(program.log).not.toContain(wrong);
  bot.token("app-token", botToken);
  expect(await system.start("slack").exited).toBe(125);
});
