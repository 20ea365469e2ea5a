/** The channel `signal` against a server that plays signal-cli's daemon. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeOwners } from "../../../journal/agents/owners.ts";
import { writeBoundRooms } from "../../../journal/channels/bound-rooms.ts";
import { keepQuestion } from "../../../journal/permissions/questions.ts";
import { contentPath } from "../../../protocol/files/attachment.ts";
import { StopPoint } from "../../chaos/stop-point.ts";
import { png } from "../../support/files/sample-files.ts";
import { ada, bob, groupId, ownNumber, ownUuid } from "./played-signal-cli.ts";
import { startAccount, toAda } from "./signal-account.ts";

const group = { groupInfo: { groupId, groupName: "Harbor", revision: 3, type: "DELIVER" } };
const mention = (start: number, who: { number?: string | null; uuid?: string | null }) => ({
  name: who.number ?? who.uuid,
  number: who.number ?? null,
  uuid: who.uuid ?? null,
  start,
  length: 1,
});

test("a message comes with its sender, its room and its quote; what is none is passed over", async () => {
  await using account = await startAccount();
  const { daemon, system } = account;
  const first = daemon.write("hello");
  const quote = {
    id: first,
    author: ownNumber,
    authorNumber: ownNumber,
    authorUuid: ownUuid,
    text: "Good day.",
    attachments: [],
  };
  const hidden = daemon.write("and I", { from: bob, quote });
  const timestamp = daemon.tick();
  const data = { timestamp, message: "changed", expiresInSeconds: 0, viewOnce: false };
  daemon.happen(ada, { timestamp, editMessage: { targetSentTimestamp: first, dataMessage: data } });
  daemon.happen(ada, { timestamp, receiptMessage: { when: 1, isDelivery: true, isRead: false, timestamps: [1] } });
  daemon.happen(ada, { timestamp, typingMessage: { action: "STARTED", timestamp: 1 } });
  daemon.happen(ada, { timestamp, storyMessage: { allowsReplies: true } });
  daemon.happen(ada, { timestamp, dataMessage: { ...data, message: null, remoteDelete: { timestamp: first } } });
  daemon.happen(ada, {
    timestamp,
    dataMessage: { ...data, message: null, groupInfo: { ...group.groupInfo, type: "UPDATE" } },
  });
  const own = { number: ownNumber, uuid: ownUuid, name: "Cortex" };
  daemon.happen(own, { timestamp, syncMessage: { sentMessage: { destinationNumber: ownNumber, ...data } } });
  daemon.happen(own, { timestamp, dataMessage: data });
  daemon.tell("{");
  daemon.tell(JSON.stringify({ account: ownNumber, exception: { message: "x", type: "y" } }));
  daemon.write("", { sticker: { packId: "00", stickerId: 1 } });
  const last = daemon.write("last");
  await system.until(() => system.messages.at(-1)?.text === "last", "all");
  const channel = { type: "signal", channelId: ada.uuid, userId: ada.uuid };
  expect(system.messages).toMatchObject([
    { id: `sig-${ada.uuid}-${first}`, text: "hello", channel, metadata: { name: "Ada", number: ada.number } },
    {
      id: `sig-${bob.uuid}-${hidden}`,
      channel: { channelId: bob.uuid, userId: bob.uuid },
      metadata: { quote: { author: ownNumber, text: "Good day.", timestamp: first } },
    },
    { text: "[sticker]" },
    { id: `sig-${ada.uuid}-${last}` },
  ]);
  expect(await account.first.stop()).toBe(0);
});

test("somebody whose number the settings name is known by it", async () => {
  await using account = await startAccount({ allow: ["+491700000017"] });
  account.daemon.write("hello");
  account.daemon.write("let me in", { from: bob });
  account.daemon.write("again");
  await account.system.until(() => account.system.messages.length === 2, "both");
  expect(account.system.messages).toMatchObject([
    { text: "hello", channel: { channelId: ada.number, userId: ada.number } },
    { text: "again" },
  ]);
  expect(account.daemon.sent).toEqual([]);
});

test("in a group only what mentions us is for agents, with names in place of mentions; in a bound one everything", async () => {
  await using account = await startAccount();
  const { daemon, system } = account;
  daemon.write("nobody asked", { ...group });
  daemon.write("\uFFFC what is new, \uFFFC?", {
    ...group,
    mentions: [mention(0, { number: ownNumber }), mention(15, bob)],
  });
  await system.until(() => system.messages.length === 1, "the first");
  expect(system.messages[0]).toMatchObject({
    text: `what is new, @${bob.uuid}?`,
    channel: { channelId: groupId, userId: ada.uuid },
    metadata: { chat_type: "group" },
  });
  daemon.write("\uFFFC only", { ...group, mentions: [mention(0, bob)] });
  await system.until(() => daemon.called("sendTyping").length > 0, "it is taken");
  expect(daemon.called("sendTyping")[0]).toEqual({ groupId });
  // By our id alone.
  daemon.write("so, \uFFFC?", { ...group, mentions: [mention(4, { uuid: ownUuid })] });
  await system.until(() => system.messages.length === 2, "the second");
  expect(system.messages[1]?.text).toBe(`so, @${ownUuid}?`);
  await writeBoundRooms(system.journal, [{ type: "signal", channelId: groupId }]);
  daemon.write("among us", { ...group });
  const last = daemon.write("\uFFFC done", { ...group, mentions: [mention(0, { number: ownNumber })] });
  await system.until(() => system.messages.length === 4, "both");
  const eyes = () => daemon.called("sendReaction").map(({ targetTimestamp }) => targetTimestamp);
  await system.until(() => eyes().length >= 3 && eyes().includes(last), "the last is acknowledged");
  // What people say to each other there isn't.
  expect(eyes()).toHaveLength(3);
  await system.say({ ...toAda("r1"), channel: { type: "signal", channelId: groupId } });
  await system.receipt("r1");
  expect(daemon.called("send")[0]).toMatchObject({ groupId, message: "text of r1" });
});

test("a message that was taken gets an eye and shows typing; where that fails nothing waits", async () => {
  await using account = await startAccount();
  const { daemon, system } = account;
  daemon.fail("sendReaction", { code: -3, message: "IO" });
  daemon.fail("sendTyping", "reset");
  daemon.write("one");
  const second = daemon.write("two");
  await system.until(() => daemon.called("sendReaction").length === 2, "both are acknowledged");
  expect(daemon.called("sendReaction")[1]).toEqual({
    recipient: ada.uuid,
    emoji: "👀",
    targetAuthor: ada.uuid,
    targetTimestamp: second,
  });
  await system.until(() => daemon.called("sendTyping").length === 2, "typing is shown");
  await system.until(() => system.messages.length === 2, "both have come");
});

test("a daemon that goes, or breaks the stream, is asked again, and what came meanwhile comes", async () => {
  await using account = await startAccount();
  const { daemon, system } = account;
  daemon.write("one");
  await system.until(() => system.messages.length === 1, "the first");
  daemon.drop();
  daemon.write("two");
  await system.until(() => system.messages.length === 2, "the second");
  const { port } = daemon;
  await daemon.close();
  daemon.write("three");
  await daemon.listen(port);
  await system.until(() => system.messages.length === 3, "the third");
  // The daemon may tell what it has told.
  const again = daemon.write("four");
  await system.until(() => system.messages.length === 4, "the fourth");
  daemon.write("four", { timestamp: again });
  daemon.write("five");
  await system.until(() => system.messages.length === 5, "the fifth");
  expect(system.messages.map(({ text }) => text)).toEqual(["one", "two", "three", "four", "five"]);
});

test("what was heard while the bus is away outlives a kill, and comes once", async () => {
  await using account = await startAccount();
  const { daemon, system } = account;
  daemon.write("before");
  await system.until(() => system.messages.length === 1, "the first");
  const queue = join(system.journal, ".state/channels/signal-events.jsonl");
  await system.until(() => readFileSync(queue, "utf8").includes('"done":1'), "it is done");
  const agents = await system.server.as("agents");
  const isBack = system.server.killAndRestart(agents);
  daemon.write("meanwhile");
  await system.until(() => readFileSync(queue, "utf8").includes("meanwhile"), "it is on the disk");
  await account.first.kill();
  await isBack;
  await account.start();
  daemon.write("after");
  await system.until(() => system.messages.at(-1)?.text === "after", "all");
  expect(system.messages.map(({ text }) => text)).toEqual(["before", "meanwhile", "after"]);
});

test("an answer goes out in parts, with its styles, and its times as the receipt", async () => {
  await using account = await startAccount();
  const { daemon, system } = account;
  await system.say(toAda("styled", "🌻 It is **open** at `pier 4`"));
  expect(await system.receipt("styled")).toEqual({ ok: true, external_id: String(daemon.sent[0]?.timestamp) });
  expect(daemon.called("send")).toEqual([
    { recipient: ada.uuid, message: "🌻 It is open at pier 4", textStyles: ["9:4:BOLD", "17:6:MONOSPACE"] },
  ]);
  const lines = Array.from({ length: 200 }, (_, n) => `Line ${n} of the **log**`);
  await system.say(toAda("long", lines.join("\n")));
  expect(await system.receipt("long")).toMatchObject({ ok: true });
  const parts = daemon.texts.slice(1);
  expect(parts.length).toBeGreaterThan(1);
  expect(parts.every((part) => part.length <= 2000)).toBe(true);
  expect(parts.join("\n")).toBe(lines.join("\n").replaceAll("**", ""));
  expect(daemon.sent.slice(1).flatMap(({ styles }) => styles)).toHaveLength(200);
});

test("files come by their id and go as what they are; a stranger's isn't fetched", async () => {
  await using account = await startAccount();
  const { daemon, system } = account;
  daemon.files.set("abc.png", png());
  const file = { contentType: "image/png", filename: "../../quay.png", id: "abc.png", size: png().length };
  daemon.write("look", { attachments: [file] });
  await system.until(() => system.messages.length === 1, "the stranger's");
  expect(system.messages[0]?.attachments).toMatchObject([
    { problem: "files of people whom I don't know aren't stored" },
  ]);
  expect(existsSync(join(system.journal, "attachments"))).toBe(false);
  await writeOwners(system.journal, [`signal:${ada.uuid}`]);
  const lost = { contentType: "text/plain", filename: "gone.txt", id: "gone", size: 3 };
  const huge = { contentType: "video/mp4", filename: "huge.mp4", id: "huge", size: 99_000_000 };
  daemon.write("", { attachments: [file, lost, huge] });
  await system.until(() => system.messages.length === 2, "the owner's");
  const [shown, ...others] = system.messages[1]?.attachments ?? [];
  expect(shown).toMatchObject({ name: "quay.png", mime: "image/png", size: png().length });
  expect(readFileSync(join(system.journal, "attachments", contentPath(shown?.id ?? "")))).toEqual(png());
  expect(others.map(({ problem }) => problem)).toEqual([
    "Could not find attachment with ID: gone",
    "larger than 25 MiB",
  ]);
  await system.say({ ...toAda("file", "Here."), attachments: [{ ...shown, name: "quay; 1,2 ü.png" }] });
  expect(await system.receipt("file")).toMatchObject({ ok: true });
  expect(daemon.sent.map(({ text, files }) => ({ text, files }))).toEqual([
    { text: "Here.", files: [] },
    { text: "", files: [{ name: "quay; 1,2 ü.png", mime: "image/png", bytes: png() }] },
  ]);
});

test("a question is decided by an owner's reaction to it, also after a restart; by nobody else's", async () => {
  await using account = await startAccount();
  const { daemon, system } = account;
  await writeOwners(system.journal, [`signal:${ada.uuid}`]);
  const ask = async (id: string) => {
    const channel = { type: "signal", channelId: ada.uuid, userId: ada.uuid };
    const [ts, expires] = [Date.now(), Date.now() + 3_600_000];
    await keepQuestion(system.journal, {
      id,
      tool: "bash",
      args: {},
      why: "asked",
      rules: [],
      run: "1736380800000",
      ts,
      expires,
      channel,
    });
    const text = 'May I call bash?\n{"command": "rm *a* `b`"}\nAnswer: allow or deny';
    await system.say({
      ...toAda(`permission-${id}`, text),
      metadata: { permission: { token: id, text, always: false } },
    });
    await system.receipt(`permission-${id}`);
    const [asked] = daemon.sent.slice(-1);
    expect(asked).toMatchObject({ text: `${text}\nOr react to this message: 👍 allows it, 👎 denies it.`, styles: [] });
    return asked?.timestamp ?? 0;
  };
  const [first, second] = ["1".repeat(32), "2".repeat(32)];
  const asked = await ask(first);
  daemon.react("👍", asked, bob);
  daemon.react("❤️", asked);
  daemon.react("👍", asked - 1);
  daemon.react("👍", asked, ada, { isRemove: true });
  daemon.react("👍", asked, ada, { targetAuthorNumber: bob.number, targetAuthorUuid: bob.uuid });
  daemon.write("so that all have been heard");
  await system.until(() => system.messages.length === 1, "all are heard");
  expect(system.decisions).toEqual([]);
  // Signal may name an account by its uuid alone.
  daemon.react("👍🏽", asked, ada, { targetAuthor: ownUuid, targetAuthorNumber: null });
  await system.until(() => system.decisions.length === 1, "the first");
  const later = await ask(second);
  await account.first.kill();
  await account.start();
  daemon.react("👎", later);
  await system.until(() => system.decisions.length === 2, "the second");
  expect(system.decisions).toMatchObject([
    { token: first, decision: { decision: "allow", userId: ada.uuid, channelType: "signal" } },
    { token: second, decision: { decision: "deny", userId: ada.uuid } },
  ]);
});

test("refusals are for good and say what to do, a limit is waited out, a broken connection is unknown", async () => {
  await using account = await startAccount();
  const { daemon, system } = account;
  const outcome = async (id: string, ...failures: Parameters<typeof daemon.fail>[1][]) => {
    daemon.fail("send", ...failures);
    await system.say(toAda(id));
    return system.receipt(id);
  };
  const failed = "Failed to send message";
  await system.say({ ...toAda("gone"), channel: { type: "signal", channelId: "+491700000404" } });
  expect(await system.receipt("gone")).toEqual({ ok: false, error: "Signal: that account isn't registered" });
  await system.say({ ...toAda("nobody"), channel: { type: "signal", channelId: "main" } });
  expect((await system.receipt("nobody")).error).toContain("neither a number");
  expect((await outcome("untrusted", { code: -4, message: failed })).error).toContain(
    `signal-cli -a ${ownNumber} trust`,
  );
  const limit = { type: "RATE_LIMIT_FAILURE", retryAfterSeconds: 1 };
  const proof = { code: -5, message: failed, results: [{ ...limit, token: "challenge" }] };
  expect((await outcome("proof", proof)).error).toContain("submitRateLimitChallenge");
  expect(await outcome("patient", { code: -5, message: failed, results: [limit] })).toMatchObject({ ok: true });
  const long = { code: -5, message: failed, results: [{ ...limit, retryAfterSeconds: 900 }] };
  expect((await outcome("later", long)).error).toContain("asks to wait for 900 s");
  const unknown = { ok: false, unknown: true };
  expect(await outcome("reset", "reset")).toMatchObject(unknown);
  expect(await outcome("half", "half")).toMatchObject(unknown);
  expect(await outcome("io", { code: -3, message: "IO" })).toMatchObject(unknown);
  expect(await outcome("internal", { code: -32603, message: "Failed (IOException)" })).toMatchObject(unknown);
  const network = { code: -1, message: failed, results: [{ type: "NETWORK_FAILURE" }] };
  expect(await outcome("network", network)).toMatchObject(unknown);
  await system.say(toAda("blank", " \n "));
  expect(await system.receipt("blank")).toMatchObject({ ok: false });
  expect(daemon.texts).toEqual(["text of patient", "text of reset", "text of half"]);
});

test("killed while a part is on its way, nothing more of it goes out, and that is told", async () => {
  await using account = await startAccount();
  const { daemon, system } = account;
  await account.first.stop();
  using stop = new StopPoint();
  const program = await account.start(stop.env);
  stop.set("delivered", 2);
  await system.say(toAda("long", ["a", "b", "c"].map((letter) => letter.repeat(1900)).join("\n")));
  await system.until(() => stop.isReached(), "the second part has arrived, and isn't noted");
  stop.clear();
  await program.kill();
  await account.start();
  expect(await system.receipt("long")).toMatchObject({ ok: false, unknown: true });
  await system.say(toAda("next"));
  expect(await system.receipt("next")).toMatchObject({ ok: true });
  expect(daemon.texts.map((text) => text[0])).toEqual(["a", "b", "t"]);
});

test("settings that send words in the clear, or are incomplete, end it for good", async () => {
  await using account = await startAccount();
  const { system } = account;
  await account.first.stop();
  for (const [settings, problem] of [
    [{ url: "http://signal.example.com:8080", number: ownNumber }, "expected an address of this machine"],
    [{ number: ownNumber }, "expected url and number"],
  ] as const) {
    system.configure({ signal: settings });
    const program = system.start("signal");
    expect(await program.exited).toBe(125);
    expect(program.log).toContain(problem);
  }
});
