/** Threads of a room as conversations of their own, `agents.binding` `perThread`, on a whole system. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { agentIdOf } from "../../../agents/record/agent-id.ts";
import { waitingOf } from "../../../journal/agents/agent-inbox.ts";
import { runFile } from "../../../journal/runs/run-files.ts";
import { runCortex } from "../../scripts/run-command.ts";
import { patienceMs } from "../../support/patience.ts";
import { zoneAtNoon } from "../../support/zone-at-noon.ts";
import { AgentsSystem, type Mind } from "../agents-system.ts";

const timeout = 4 * patienceMs;
const agents = { join_window_ms: 0, owners: ["alpha:owner"] };

/** Replies once to each message, to its room. The thread isn't named. */
const replies: Mind = ({ last, results }) => {
  const word = /[A-Z]{4,}/.exec(last)?.[0] ?? "nothing";
  return results.length > 0
    ? { text: "." }
    : { calls: [{ tool: "reply", args: { text: `Heard ${word}.`, channelId: "room" } }] };
};

/** Starts a system with a binding, and what one says there and sees. @param minds other answers, by words that were said */
async function start(binding: string, minds: Record<string, Mind> = {}, more: Record<string, unknown> = {}) {
  const settings = { agents: { ...agents, binding, ...more } };
  const system = await AgentsSystem.start(settings, {}, { CORTEX_TZ: zoneAtNoon() });
  const alpha = await system.channel("alpha");
  for (const [word, mind] of Object.entries(minds)) system.think(word, mind);
  system.think("[channel:", replies);
  return {
    system,
    alpha,
    agentIn: (replyTo?: string, userId = "owner") =>
      system.agentOf({ type: "alpha", channelId: "room", userId, ...(replyTo !== undefined && { replyTo }) }),
    /** An owner says a word, and waits for the answer. Resolves with the channel that this came to, and all that its model was told. */
    ask: async (word: string, replyTo?: string) => {
      await alpha.say(`${word} is the word`, { ...(replyTo !== undefined && { replyTo }) });
      const { channel } = await alpha.heard(`Heard ${word}.`);
      const asked = system.askedOf(word)[0];
      return { channel, told: asked?.said.join("\n") ?? "", system: asked?.system ?? "" };
    },
    async [Symbol.asyncDispose]() {
      await system[Symbol.asyncDispose]();
    },
  };
}

test("two threads of a room are two conversations, and /new in one leaves the other alone", { timeout }, async () => {
  await using talk = await start("perThread");
  const { system, alpha, ask, agentIn } = talk;
  const first = await ask("HERON", "t1");
  // The agent of a thread answers there, also where its model doesn't name it.
  expect(first.channel).toEqual({ type: "alpha", channelId: "room", replyTo: "t1" });
  expect(first.system).not.toContain("in these rooms");
  expect((await ask("IBIS", "t2")).told).not.toContain("HERON");
  const ofRoom = await ask("EGRET");
  expect(ofRoom.channel).toEqual({ type: "alpha", channelId: "room" });
  expect(ofRoom.told).not.toMatch(/HERON|IBIS/);
  expect((await ask("TERN", "t1")).told).toContain("HERON");

  const ids = [await agentIn("t1"), await agentIn("t2"), await agentIn()];
  expect(new Set(ids).size).toBe(3);
  expect(ids[2]).toBe(agentIdOf({ kind: "main", connector: "alpha", channelId: "room" }));
  const listed = (await system.command("agents list")) as { agents: { agent_id: string; thread?: string }[] };
  expect(new Map(listed.agents.map(({ agent_id, thread }) => [agent_id, thread]))).toEqual(
    new Map([
      [ids[0], "t1"],
      [ids[1], "t2"],
      [ids[2], undefined],
    ]),
  );
  expect((await runCortex(system.journal, ["agents", "show", ids[0] ?? ""])).stdout).toContain(
    "alpha:room (thread t1)",
  );

  const id = await alpha.say("/new", { replyTo: "t1" });
  const said = await system.until(() => alpha.replies.find((one) => one.id === `said-${id}`), "/new is answered");
  expect(said.channel).toMatchObject({ channelId: "room", replyTo: "t1" });
  expect((await ask("CURLEW", "t2")).told).toContain("IBIS");
  expect((await ask("PLOVER", "t1")).told).not.toMatch(/HERON|TERN/);
  expect((await ask("GANNET")).told).toContain("EGRET");
  await system.killAgents();
  expect((await ask("AVOCET", "t2")).told).toMatch(/IBIS[^]*CURLEW/);
});

test("threads of a room share its agent where each room has one", { timeout }, async () => {
  await using talk = await start("perChannel");
  const { ask, agentIn } = talk;
  await ask("HERON", "t1");
  expect((await ask("IBIS", "t2")).told).toContain("HERON");
  expect((await ask("EGRET")).told).toMatch(/HERON[^]*IBIS/);
  expect([await agentIn("t1"), await agentIn("t2")]).toEqual([await agentIn(), await agentIn()]);
});

test("a stranger in several threads is one person, whose tokens are counted once", { timeout }, async () => {
  const tokens = 100_000;
  const strangers = { new_per_day: 1, tokens_per_day: tokens };
  const held = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const holding: Mind = async () => {
    asked.resolve();
    await held.promise;
    return { text: "." };
  };
  await using talk = await start("perThread", { SWIFT: holding }, { strangers });
  const { system, alpha, ask, agentIn } = talk;
  const say = (text: string, replyTo: string, userId = "17") => alpha.say(text, { replyTo, userId });
  await say("SWIFT in one", "t1");
  await asked.promise;
  await say("MARTIN in another", "t2");
  const [one, other] = [await agentIn("t1", "17"), await agentIn("t2", "17")];
  expect(one).not.toBe(other);
  await system.until(() => waitingOf(system.journal, other).length === 1, "the second thread has its message");
  // Somebody else isn't let in any more, and an owner is answered meanwhile.
  await say("let me in", "t1", "18");
  const refused = await alpha.heard(/^I don't know you, and too many others have written to me today/);
  expect(refused.channel).toMatchObject({ userId: "18" });
  await ask("HERON", "t1");
  held.resolve();
  await alpha.heard("Heard MARTIN.");
  await system.turns(other, 1);
  const limitOf = (agent: string) => {
    const run = runFile(system.journal, system.state(agent).last_run ?? "");
    return Number(/"max_total_tokens":(\d+)/.exec(readFileSync(run ?? "", "utf8"))?.[1]);
  };
  const spent = system.state(one).spent?.tokens ?? 0;
  expect(spent).toBeGreaterThan(0);
  expect([limitOf(one), limitOf(other)]).toEqual([tokens, tokens - spent]);
});

test("an agent in a stranger's thread answers nowhere else in the room", { timeout }, async () => {
  const wandering: Mind = ({ results }) => {
    if (results.some(({ isError }) => !isError)) return { text: "." };
    const replyTo = results.length === 0 ? "t2" : "t1";
    return { calls: [{ tool: "reply", args: { text: `To ${replyTo}.`, channelId: "room", replyTo } }] };
  };
  await using talk = await start("perThread", { SWIFT: wandering });
  const { system, alpha } = talk;
  await alpha.say("SWIFT", { replyTo: "t1", userId: "17" });
  expect((await alpha.heard("To t1.")).channel).toMatchObject({ channelId: "room", replyTo: "t1" });
  const [refused] = system.askedOf("SWIFT").flatMap(({ results }) => results.filter(({ isError }) => isError));
  expect(refused?.text).toContain(
    "only this conversation can be answered: channelType alpha, channelId room, replyTo t1",
  );
  expect(alpha.replies.map(({ text }) => text)).not.toContain("To t2.");
});
