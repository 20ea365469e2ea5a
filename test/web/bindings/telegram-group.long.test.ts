/** A Telegram group that is bound to a thread: from the group through adapter, bus and agents' service into the thread, and back. */
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { RoomBridge } from "../../../web/bindings/room-bridge.ts";
import { createBinding, removeBinding } from "../../../workspace/bindings/bindings.ts";
import { setIdentities } from "../../../workspace/bindings/identities.ts";
import { listMessages, sendMessage } from "../../../workspace/threads/messages.ts";
import { createThread } from "../../../workspace/threads/threads.ts";
import { AgentsSystem } from "../../agents/agents-system.ts";
import { BotApi, botToken } from "../../channels/telegram/bot-api.ts";
import { askUntil } from "../../support/ask-until.ts";
import { patienceMs } from "../../support/patience.ts";
import { newTeam } from "../../workspace/temporary-store.ts";
import { logOf } from "../../../proc/logging/log.ts";

const api = await BotApi.start();
const system = await AgentsSystem.start(
  {
    channels: { web: { enabled: false }, telegram: { token_env: "BOT_TOKEN", api_url: api.root } },
    agents: { join_window_ms: 0, owners: ["telegram:17"] },
  },
  {},
  { BOT_TOKEN: botToken },
);
const team = await newTeam({ file: join(system.journal, "workspace.db") });
const { store, admin } = team;
const bridgeDeps = { journal: system.journal, bus: await system.as("channel-web"), store, log: logOf("test") };
let bridge = new RoomBridge(bridgeDeps);
afterAll(async () => {
  await bridge[Symbol.asyncDispose]();
  await team[Symbol.asyncDispose]();
  await system[Symbol.asyncDispose]();
  await api[Symbol.asyncDispose]();
});

const { id: threadId } = await createThread(store, "Seeds", admin);
const place = { threadId, forkId: null };
const group = { chat: { id: -100500, type: "supergroup", title: "Garden" } };
const inGroup = (text: string, user: number) => api.write(text, group, user);
const inThread = async () => (await listMessages(store, place, { limit: 200, cursor: null })).items;
const outInGroup = () => api.sent.filter(({ chat_id }) => chat_id === "-100500").map(({ text }) => text);

async function threadHas(text: string) {
  const found = async () => (await inThread()).find((message) => message.text === text);
  return askUntil(found, () => `${text} in the thread`, patienceMs);
}
const groupHas = (text: string) => system.until(() => outInGroup().includes(text), `the group has ${text}`);

test("the code that is said in the group binds it, and both sides are told", async () => {
  const { code } = await createBinding(store, threadId, "telegram", admin);
  inGroup(`/bind@cortex_bot ${code}`, 18);
  const bound = "Bound to telegram -100500: what is said here is sent there, and the other way round.";
  await threadHas(bound);
  await groupHas(bound);
  expect((await inThread()).map(({ text }) => text)).toEqual([bound]);
  expect(outInGroup()).toEqual([bound]);
});

test("a member's message in the group is the member's in the thread, and begins an agent's task there, not a turn", async () => {
  await setIdentities(store, admin.memberId, ["telegram:17"], admin);
  inGroup("@coder which beans?", 17);
  const message = await threadHas("@coder which beans?");
  expect(message).toMatchObject({ author_type: "human", author_id: admin.userId, author_name: "Ada" });
  const tasks = await store.database.selectFrom("tasks").select("trigger_message_id").execute();
  expect(tasks).toEqual([{ trigger_message_id: message?.id }]);
  expect(system.asked).toEqual([]);
});

test("somebody else's message is a guest's, and brings nobody in", async () => {
  inGroup("@coder and these?", 18);
  expect(await threadHas("@coder and these?")).toMatchObject({ author_id: null, author_name: "Ada (guest)" });
  expect(await store.database.selectFrom("tasks").select("id").execute()).toHaveLength(1);
});

test("what is said in the thread goes to the group with its author, and nothing comes back", async () => {
  await sendMessage(store, place, { text: "Runner beans." }, admin);
  await groupHas("Ada: Runner beans.");
  inGroup("thanks", 17);
  await threadHas("thanks");
  expect(outInGroup().filter((text) => /thanks|which beans|and these/.test(text))).toEqual([]);
  expect((await inThread()).filter(({ text }) => text.includes("Runner beans"))).toHaveLength(1);
});

test("many messages from both sides at once are there once each, in order, also when the bridge begins anew", async () => {
  const numbers = Array.from({ length: 30 }, (_, index) => index);
  for (const number of numbers) {
    inGroup(`g${number}`, 17);
    await sendMessage(store, place, { text: `t${number}` }, admin);
    if (number !== 15) continue;
    await bridge[Symbol.asyncDispose]();
    bridge = new RoomBridge(bridgeDeps);
  }
  await threadHas("g29");
  await groupHas("Ada: t29");
  const texts = (await inThread()).map(({ text }) => text);
  expect(texts.filter((text) => /^g\d+$/.test(text))).toEqual(numbers.map((number) => `g${number}`));
  expect(outInGroup().filter((text) => /^Ada: t\d+$/.test(text))).toEqual(numbers.map((number) => `Ada: t${number}`));
});

test("a private chat with the bot, and the group when it isn't bound any more, are the agents' as before", async () => {
  system.think("whisper", () => ({ text: "Heard." }));
  api.write("whisper 1", {}, 17);
  await system.until(() => system.askedOf("whisper 1").length === 1, "the agent is asked in private");
  const [binding] = await store.database.selectFrom("bindings").select("id").execute();
  await removeBinding(store, binding?.id ?? "", admin);
  await threadHas("No longer bound to telegram -100500: what is said here stays here.");
  // The list of rooms is written behind the change.
  await bridge[Symbol.asyncDispose]();
  bridge = new RoomBridge(bridgeDeps);
  inGroup("@cortex_bot whisper 2", 17);
  await system.until(() => system.askedOf("whisper 2").length === 1, "the agent is asked in the group");
  expect((await inThread()).map(({ text }) => text)).not.toContain("whisper 2");
});
