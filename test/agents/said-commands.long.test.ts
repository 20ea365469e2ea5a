/** Commands that people say in a channel, on a whole system. */
import { afterAll, expect, test } from "vitest";
import { saidCommands } from "../../protocol/agents/said-commands.ts";
import { StopPoint } from "../chaos/stop-point.ts";
import type { Conversation } from "./conversation.ts";
import { AgentsSystem } from "./agents-system.ts";

const stop = new StopPoint();
const system = await AgentsSystem.start({}, {}, stop.env);
afterAll(async () => {
  stop[Symbol.dispose]();
  await system[Symbol.asyncDispose]();
});
const alpha = await system.channel("alpha");
const replies =
  (text: string) =>
  ({ last, results }: Conversation) => {
    const channelId = /\| id: ([^ \]|]+)/.exec(last)?.[1] ?? "";
    return results.length > 0 ? { text: "done" } : { calls: [{ tool: "reply", args: { text, channelId } }] };
  };
/** The answer to a command, which comes to where it was said. */
async function answerTo(text: string, more: Parameters<typeof alpha.say>[1] = {}): Promise<string> {
  const id = await alpha.say(text, more);
  const reply = await system.until(() => alpha.replies.find((one) => one.id === `said-${id}`), `${text} is answered`);
  expect(reply.channel).toMatchObject({ type: "alpha", channelId: more.channelId ?? "room" });
  return reply.text;
}

test("/help tells the commands, and no model is asked", async () => {
  const text = await answerTo("/help", { channelId: "help" });
  expect(text.split("\n").map((line) => line.split(":")[0])).toEqual(
    Object.keys(saidCommands).map((name) => `/${name}`),
  );
  expect(await answerTo("/status", { channelId: "help" })).toBe("Idle, nothing waits. No model has answered yet.");
  expect(system.asked).toEqual([]);
});

test("/stop ends the turn that is under way, beside it, and /new begins anew", async () => {
  const asked = Promise.withResolvers<void>();
  const channelId = "stop";
  system.think("HANG", async () => {
    asked.resolve();
    return new Promise(() => {});
  });
  await alpha.say("HANG: the word is heliotrope", { channelId });
  await asked.promise;
  expect(await answerTo("/status", { channelId })).toMatch(/^At work, nothing waits\./);
  expect(await answerTo("/stop", { channelId })).toBe("Stopped.");
  const agent = await system.main(channelId);
  expect(await system.told(agent, "turn_ended")).toMatchObject({ ok: false, reason: "cancelled" });
  expect(await answerTo("/stop@cortex_bot", { channelId })).toBe("Nothing is running.");
  expect(await answerTo("/new", { channelId })).toBe("The conversation begins anew.");
  system.think("FRESH", replies("Begun."));
  await alpha.say("FRESH start", { channelId });
  await alpha.heard("Begun.");
  expect(
    system
      .askedOf("FRESH")
      .flatMap(({ said }) => said)
      .join(),
  ).not.toContain("heliotrope");
});

test("/usage tells what the conversation and today have used", async () => {
  const channelId = "usage";
  system.think("COUNT", replies("Counted."));
  await alpha.say("COUNT", { channelId });
  await alpha.heard("Counted.");
  await system.turns(await system.main(channelId), 1);
  expect(await answerTo("/usage", { channelId })).toMatch(
    /^This conversation: 2 messages, .+ with its tasks\.\nContext: \d+ of \d+ tokens\.\nToday: .+\.$/,
  );
});

test("/model chooses the model of the turns that follow, and of no other agent's; default goes back", async () => {
  const channelId = "model";
  const models = () => system.askedOf("WHO").map(({ body }) => body["model"]);
  const ask = async (count: number) => {
    await alpha.say(`WHO ${count}`, { channelId });
    await system.turns(await system.main(channelId), count);
  };
  system.think("WHO", () => ({ text: "I." }));
  await ask(1);
  const usual = models().at(-1);
  expect(await answerTo("/model", { channelId })).toBe(`Model: ${String(usual)} on anthropic.`);
  expect(await answerTo("/model claude-haiku-4-5", { channelId })).toMatch(
    /^From the next message on claude-haiku-4-5 /,
  );
  expect(await answerTo("/model", { channelId })).toContain("From the next message on: claude-haiku-4-5.");
  await ask(2);
  expect(models().at(-1)).toBe("claude-haiku-4-5");
  // It is the agent's, not the process's.
  await system.killAgents();
  await ask(3);
  expect(models().at(-1)).toBe("claude-haiku-4-5");
  await answerTo("/model default", { channelId });
  await ask(4);
  expect(models().at(-1)).toBe(usual);
  expect(await answerTo("/model $(rm)", { channelId })).toBe('"$(rm)" is no name of a model.');
});

test("whoever isn't an owner has their own conversation to stop and begin anew, and neither costs nor models", async () => {
  const more = { channelId: "guest", userId: "guest" };
  expect(await answerTo("/new", more)).toBe("The conversation begins anew.");
  expect(await answerTo("/model claude-opus-4-5", more)).toBe("Only an owner may ask for that here.");
  expect(await answerTo("/usage", more)).toBe("Only an owner may ask for that here.");
});

test("whoever asks to be paired is shown a code, whatever the channel, with which the machine makes them an owner", async () => {
  const id = await alpha.say("/pair", { channelId: "pairing", userId: "newcomer" });
  const shown = await system.until(() => alpha.replies.find((one) => one.id === `pair-${id}`), "a code is shown");
  const code = shown.text.split(" ").at(-1);
  expect(shown.text).toBe(`To be known here as an owner, type on the machine: cortex pair ${code}`);
  expect(await system.command("pair", { code })).toEqual({ owner: "alpha:newcomer" });
  const more = { channelId: "pairing", userId: "newcomer" };
  expect(await answerTo("/usage", more)).toContain("This conversation: ");
});

test("what only looks like a command is for the agent, and so is all that is said verbatim", async () => {
  const channelId = "words";
  system.think("/etc", replies("Hosts."));
  await alpha.say("/etc/hosts has it", { channelId });
  await alpha.heard("Hosts.");
  const agent = await system.main(channelId);
  await system.turns(agent, 1);
  expect(await system.command("agents order", { agent_id: agent, text: "/status" })).toEqual({
    text: expect.stringMatching(/^Idle, nothing waits\./),
  });
  await expect(system.command("agents order", { agent_id: agent, text: "/dance" })).rejects.toThrow("no such command");
  const page = await system.channel("gamma");
  await page.say("/help", { channelId, metadata: { verbatim: true } });
  // Only whoever is trusted may say so: by any other channel it is a command.
  await page.heard(/^\/new: /);
});

test("a command whose service is killed before it is acknowledged is carried out, and answered once", async () => {
  const channelId = "killed";
  stop.set("reply-stored", 1);
  const id = await alpha.say("/new", { channelId });
  await system.until(() => stop.isReached(), "its answer is stored");
  stop.clear();
  await system.killAgents();
  expect(await answerTo("/status", { channelId })).toMatch(/^Idle, nothing waits\./);
  expect(alpha.replies.filter((one) => one.id === `said-${id}`)).toHaveLength(1);
});
