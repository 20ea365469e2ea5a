/** The messages to an agent that is at work, and their effect on its turn. */
import { afterAll, expect, test } from "vitest";
import { descriptorOf } from "../../../agents/record/agent-id.ts";
import type { AgentState, InboxItem } from "../../../protocol/agents/agent-files.ts";
import { runCortex } from "../../scripts/run-command.ts";
import { hasEnded } from "../../support/journal-processes.ts";
import { AgentsSystem } from "../agents-system.ts";
import { holdModel, itemsOf, textsOf } from "./held-model.ts";

const types = ["alpha", "beta", "delta"];
const system = await AgentsSystem.start({
  channels: Object.fromEntries(types.map((type) => [type, { external: true }])),
  agents: {
    join_window_ms: 0,
    owners: types.map((type) => `${type}:owner`),
    binding: "perChannel",
    queue: { beta: "collect", delta: "interrupt" },
  },
});
afterAll(async () => {
  const { wrong } = system;
  await system[Symbol.asyncDispose]();
  expect(wrong).toEqual([]);
});
const [alpha, beta, delta] = await Promise.all([
  system.channel("alpha"),
  system.channel("beta"),
  system.channel("delta"),
]);

/** Waits until a message stands in an agent's inbox. */
const isTaken = (agent: string, id: string) =>
  system.until(
    () => system.news.some((one) => one.event === "message" && one.agent_id === agent && one["item"] === id),
    `${id} is taken in`,
  );

test.concurrent("followup: what comes during a turn is the next one's", async () => {
  const model = holdModel(system, "follow-room", (number) => ({ text: `answer ${number}` }));
  const first = await alpha.say("one", { channelId: "follow-room" });
  await model.isAsked(1);
  const agent = await system.main("follow-room");
  const second = await alpha.say("two", { channelId: "follow-room" });
  await isTaken(agent, `alpha:${second}`);
  model.letAllGo();
  await system.turns(agent, 2);
  expect(textsOf(system, agent)).toEqual(["user: one", "assistant: answer 1", "user: two", "assistant: answer 2"]);
  expect(itemsOf(system, agent)).toEqual([[`alpha:${first}`], [`alpha:${second}`]]);
});

test.concurrent("messages of one sender within a short window are one message; later ones aren't joined", async () => {
  // It waits already when the agents start: there is no hurry, and no window is waited out.
  const window = 60_000;
  const began = Date.now() - 10 * window;
  const channel = { type: "alpha", channelId: "join-room", userId: "owner" };
  const item = (id: string, ts: number): InboxItem => ({ id, ts, type: "user", text: `text of ${id}`, channel });
  const waiting = [
    item("a", began),
    item("b", began + window),
    item("c", began + 2 * window),
    item("d", began + 3 * window + 1),
  ];
  const descriptor = descriptorOf({ kind: "main", connector: "alpha", channelId: "join-room" }, began);
  const { id: agent } = descriptor;
  const state: AgentState = {
    lifecycle: "active",
    provider: {},
    permissions: [],
    created: began,
    updated: began,
    context_tokens: 0,
    has_memory_index: false,
    turn: null,
  };
  await using own = await AgentsSystem.start(
    { agents: { join_window_ms: window, owners: ["alpha:owner"], binding: "perChannel" } },
    {
      [`agents/${agent}/descriptor.json`]: JSON.stringify(descriptor),
      [`agents/${agent}/state.json`]: JSON.stringify(state),
      [`agents/${agent}/inbox.jsonl`]: waiting.map((one) => `${JSON.stringify(one)}\n`).join(""),
    },
  );
  const said = (type: string) => own.history(agent).filter((record) => record.type === type);
  const haveEnded = () => said("assistant").length === 2 && own.state(agent).turn === null;
  await own.until(haveEnded, "both messages are answered");
  const header = "[channel: alpha | id: join-room]";
  expect(said("user")).toMatchObject([
    { id: "a", items: ["a", "b", "c"], text: `${header}\ntext of a\ntext of b\ntext of c` },
    { id: "d", text: `${header}\ntext of d` },
  ]);
  // What is said now waits for more.
  const adapter = await own.channel("alpha");
  for (const text of ["one", "two"]) {
    const id = await adapter.say(text, { channelId: "join-room" });
    await own.told(agent, "message", (news) => news["item"] === `alpha:${id}`);
  }
  expect(own.state(agent).turn).toBe(null);
  expect(said("user")).toHaveLength(2);
});

test.concurrent("collect: all that came during a turn is one turn", async () => {
  const model = holdModel(system, "collect-room", (number) => ({ text: `answer ${number}` }));
  await beta.say("one", { channelId: "collect-room" });
  await model.isAsked(1);
  const agent = await system.main("collect-room", "beta");
  for (const text of ["two", "three", "four"])
    await isTaken(agent, `beta:${await beta.say(text, { channelId: "collect-room" })}`);
  model.letAllGo();
  await system.turns(agent, 2);
  expect(textsOf(system, agent)).toEqual(["user: one", "assistant: answer 1", "user: four", "assistant: answer 2"]);
  expect(system.askedOf("collect-room")[1]?.last).toMatch(/\ntwo\nthree\nfour$/);
  expect(model.count).toBe(2);
});

test.concurrent("interrupt: the running turn ends, what it said stays, and the message has the next", async () => {
  const model = holdModel(system, "interrupt-room", (number) =>
    number === 1 ? { text: "first of all", calls: [{ tool: "current_time", args: {} }] } : { text: `answer ${number}` },
  );
  await delta.say("one", { channelId: "interrupt-room" });
  model.letGo(1);
  await model.isAsked(2);
  const agent = await system.main("interrupt-room", "delta");
  const second = await delta.say("two", { channelId: "interrupt-room" });
  await model.isAsked(3);
  model.letAllGo();
  await system.turns(agent, 2);
  expect(textsOf(system, agent)).toEqual(["user: one", "assistant: first of all", "user: two", "assistant: answer 3"]);
  expect(itemsOf(system, agent)[1]).toEqual([`delta:${second}`]);
  const [ended] = system.news.filter(({ event, agent_id }) => event === "turn_ended" && agent_id === agent);
  expect(ended).toMatchObject({ ok: false, reason: "cancelled" });
  expect(delta.replies.filter(({ agent_id }) => agent_id === agent)).toEqual([]);
});

test.concurrent("a command stops the running turn, and nobody apologises", async () => {
  const model = holdModel(system, "stop-room", (number) => ({ text: `answer ${number}` }));
  await alpha.say("one", { channelId: "stop-room" });
  await model.isAsked(1);
  const agent = await system.main("stop-room");
  expect(await system.command("agents stop", { agent_id: agent })).toEqual({ stopped: true });
  await system.turns(agent, 1);
  expect(await system.command("agents stop", { agent_id: agent })).toEqual({ stopped: false });
  await alpha.say("two", { channelId: "stop-room" });
  await model.isAsked(2);
  model.letAllGo();
  await system.turns(agent, 2);
  expect(textsOf(system, agent)).toEqual(["user: one", "user: two", "assistant: answer 2"]);
  expect(alpha.replies.filter(({ channel }) => channel.channelId === "stop-room")).toEqual([]);
});

test.concurrent("a reset ends the running turn and drops what waited; the next message begins anew", async () => {
  const model = holdModel(system, "reset-room", (number) => ({ text: `answer ${number}` }));
  await alpha.say("one", { channelId: "reset-room" });
  await model.isAsked(1);
  const agent = await system.main("reset-room");
  model.letGo(1);
  await system.turns(agent, 1);
  await alpha.say("two", { channelId: "reset-room" });
  await model.isAsked(2);
  await isTaken(agent, `alpha:${await alpha.say("dropped", { channelId: "reset-room" })}`);
  expect(await system.command("agents reset", { agent_id: agent })).toEqual({ agent_id: agent });
  await system.turns(agent, 2);
  expect(system.state(agent)).toMatchObject({ turn: null, context_tokens: 0 });
  await alpha.say("three", { channelId: "reset-room" });
  await model.isAsked(3);
  model.letAllGo();
  await system.turns(agent, 3);
  expect(await system.main("reset-room")).toBe(agent);
  expect(system.history(agent).map(({ type }) => type)).toEqual([
    "start",
    "user",
    "assistant",
    "user",
    "reset",
    "user",
    "assistant",
  ]);
  const last = system.askedOf("reset-room").at(-1);
  expect(last?.messages).toHaveLength(1);
  expect(last?.said.join()).not.toMatch(/one|two|dropped/);
});

test.concurrent("messages right behind the end of a turn aren't stranded", async () => {
  const model = holdModel(system, "edge-room", (_, last) => ({ text: `to ${last.split("\n").at(-1)}` }));
  model.letAllGo();
  const count = 8;
  await alpha.say("message 0", { channelId: "edge-room" });
  const agent = await system.main("edge-room");
  await system.turns(agent, 1);
  for (let number = 1; number <= count; number++) {
    await system.until(
      () => textsOf(system, agent).includes(`assistant: to message ${number - 1}`),
      `answer ${number - 1}`,
    );
    const isOver = () => system.state(agent).turn === null;
    await system.until(isOver, `the end of turn ${number - 1}`);
    await alpha.say(`message ${number}`, { channelId: "edge-room" });
  }
  await system.until(() => textsOf(system, agent).includes(`assistant: to message ${count}`), "the last answer");
  expect(textsOf(system, agent).filter((text) => text.startsWith("user: "))).toHaveLength(count + 1);
});

test.concurrent("a message sent while the agents' service is dead is answered when it is back", async () => {
  await using own = await AgentsSystem.start();
  const channel = await own.channel("alpha");
  own.think("dead-room", ({ results }) =>
    results.length > 0
      ? { text: "." }
      : { calls: [{ tool: "reply", args: { text: "I have heard you", channelId: "dead-room" } }] },
  );
  const pid = own.pidOf("agents");
  process.kill(pid, "SIGKILL");
  await channel.say("Is anybody there?", { channelId: "dead-room" });
  expect((await channel.heard("I have heard you")).channel.channelId).toBe("dead-room");
  await own.until(() => own.up.isReady("agents"), "the agents are back");
  expect(own.pidOf("agents")).not.toBe(pid);
});

test("a turn that is stopped while cortex is dead ends when it is back, also by agents that were killed meanwhile", async () => {
  const model = holdModel(system, "belated-room", (number) => ({ text: `answer ${number}` }));
  await alpha.say("one", { channelId: "belated-room" });
  await model.isAsked(1);
  const agent = await system.main("belated-room");
  const [supervisor, cortex] = [system.pidOf("supervisor"), system.pidOf("cortex")];
  process.kill(supervisor, "SIGSTOP"); // so that nobody starts it again before
  try {
    process.kill(cortex, "SIGKILL");
    await system.until(() => hasEnded(cortex), "cortex is dead");
    expect(await runCortex(system.journal, ["agents", "stop", agent])).toMatchObject({ code: 0, stdout: "stopping" });
    expect(system.state(agent).turn).toMatchObject({ is_unwanted: true });
    process.kill(system.pidOf("agents"), "SIGKILL");
  } finally {
    process.kill(supervisor, "SIGCONT");
  }
  await system.turns(agent, 1);
  const [ended] = system.news.filter(({ event, agent_id }) => event === "turn_ended" && agent_id === agent);
  expect(ended).toMatchObject({ ok: false, reason: "cancelled" });
  expect(await runCortex(system.journal, ["agents", "stop", agent])).toMatchObject({
    code: 0,
    stdout: "nothing is running",
  });
  await alpha.say("two", { channelId: "belated-room" });
  await model.isAsked(2);
  model.letAllGo();
  await system.turns(agent, 2);
  expect(textsOf(system, agent)).toEqual(["user: one", "user: two", "assistant: answer 2"]);
});
