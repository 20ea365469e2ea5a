/** Edits of messages, on a whole system: while they wait, and afterwards. */
import { afterAll, expect, test } from "vitest";
import { AgentsSystem } from "./agents-system.ts";
import { StopPoint } from "../chaos/stop-point.ts";

const stop = new StopPoint();
/** No model is asked for titles: what it was asked is counted. */
const agents = { titles: false, join_window_ms: 0, owners: ["alpha:owner"], binding: "perChannel" };
const system = await AgentsSystem.start({ agents }, {}, stop.env);
afterAll(async () => {
  stop[Symbol.dispose]();
  await system[Symbol.asyncDispose]();
});
const alpha = await system.channel("alpha");

/** A turn that is under way until it is stopped. */
async function busy(channelId: string, word: string): Promise<{ agent: string; id: string }> {
  const asked = Promise.withResolvers<void>();
  system.think(word, async () => {
    asked.resolve();
    return new Promise(() => {});
  });
  const id = await alpha.say(word, { channelId });
  await asked.promise;
  return { agent: await system.main(channelId), id };
}

/** The messages with this word that the model was given, each as the last of its conversation. */
const saidTo = (word: string) => system.asked.flatMap(({ last }) => (last.includes(word) ? [last] : []));

test("a message that waits is heard as it was edited last, also when the service is killed in between", async () => {
  const channelId = "waits";
  system.think("DRAFT", () => ({ text: "Read." }));
  await busy(channelId, "HANGONE");
  const id = await alpha.say("DRAFT one", { channelId });
  await alpha.say("DRAFT two", { channelId, edits: id });
  const isIt = (news: { event: string; item?: unknown }) => news.event === "message" && news.item === `alpha:${id}`;
  await system.until(() => system.news.filter(isIt).length === 2, "the first edit is taken");
  stop.set("item-edited", 1);
  const third = { channelId, edits: id, id: "third" };
  // The service that stops is also the one that answers: it may stop first.
  const saying = alpha.say("DRAFT three", third).catch(() => {});
  await system.until(() => stop.isReached(), "the edit is kept");
  stop.clear();
  await system.killAgents();
  await saying;
  await alpha.say("DRAFT three", third);
  const done = await alpha.say("/stop", { channelId });
  await system.until(() => alpha.replies.some((one) => one.id === `said-${done}`), "it has stopped");
  await system.until(() => saidTo("DRAFT").length > 0, "the message is heard");
  const after = await alpha.say("/status", { channelId });
  await system.until(() => alpha.replies.some((one) => one.id === `said-${after}`), "all before it was taken in");
  expect(saidTo("DRAFT")).toEqual([expect.stringContaining("DRAFT three")]);
  expect(saidTo("DRAFT").join()).not.toMatch(/DRAFT (one|two)|edited/);
  const agent = await system.main(channelId);
  const told = system.history(agent).filter((record) => record.type === "user" && record.text.includes("DRAFT"));
  expect(told.map(({ id: item }) => item)).toEqual([`alpha:${id}`]);
});

test("of a message that a turn has begun with, the agent is told what was changed, once", async () => {
  const channelId = "begun";
  system.think("LATER", () => ({ text: "Noted." }));
  const { agent, id } = await busy(channelId, "HANGTWO at five");
  await alpha.say("HANGTWO at five", { channelId, edits: id });
  const edit = { channelId, edits: id, id: "an-edit" };
  await alpha.say("LATER at six", edit);
  await alpha.say("LATER at six", edit);
  const done = await alpha.say("/stop", { channelId });
  await system.until(() => alpha.replies.some((one) => one.id === `said-${done}`), "it has stopped");
  await system.until(() => saidTo("LATER").length > 0, "the edit is heard");
  expect(saidTo("LATER")).toEqual([expect.stringContaining('[edited, before: "HANGTWO at five"]\nLATER at six')]);
  await system.told(agent, "turn_ended", ({ ok }) => ok === true);
  await alpha.say("LATER at seven", { channelId, edits: id });
  await system.until(() => saidTo("LATER at seven").length > 0, "an edit of what is long answered");
  expect(saidTo("LATER at seven").at(-1)).toContain('[edited, before: "HANGTWO at five"]\nLATER at seven');
});

test("an edit of somebody else's message, or of one that wasn't for the agent, is a message of its own", async () => {
  const channelId = "others";
  system.think("MINE", () => ({ text: "Read." }));
  await alpha.say("MINE now", { channelId, edits: "never-seen" });
  await system.until(() => saidTo("MINE now").length > 0, "it is heard");
  expect(saidTo("MINE now")[0]).toMatch(/\]\nMINE now/);
  expect(saidTo("MINE now")[0]).not.toContain("edited");
});

test("a message that is edited into a command isn't heard by the agent", async () => {
  const channelId = "command";
  const { agent } = await busy(channelId, "HANGTHREE");
  const id = await alpha.say("sotp", { channelId });
  const done = await alpha.say("/stop", { channelId, edits: id });
  await system.until(() => alpha.replies.some((one) => one.id === `said-${done}`), "the command is answered");
  await system.told(agent, "turn_ended");
  expect(system.history(agent).filter((record) => record.type === "user" && record.text.includes("sotp"))).toEqual([]);
});
