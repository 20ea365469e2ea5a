/** The messages that are steered into a running turn: in time for its model, or too late. */
import { afterAll, expect, test } from "vitest";
import { AgentsSystem } from "../agents-system.ts";
import { holdModel, itemsOf, textsOf } from "./held-model.ts";

const system = await AgentsSystem.start({
  channels: { gamma: { external: true } },
  agents: { join_window_ms: 0, owners: ["gamma:owner"], binding: "perChannel", queue: { gamma: "steer" } },
  // A model calls the same tool until it has heard all.
  loop_limit: 1000,
});
afterAll(async () => {
  const { wrong } = system;
  await system[Symbol.asyncDispose]();
  expect(wrong).toEqual([]);
});
const gamma = await system.channel("gamma");

test.concurrent("a steered message reaches the running turn, is recorded once and answered in that turn", async () => {
  // It does something until it has heard all: what is passed on to a run reaches it a moment later.
  const model = holdModel(system, "steer-room", (_, __, said) =>
    said.includes("three") ? { text: "I have heard all." } : { calls: [{ tool: "current_time", args: {} }] },
  );
  const first = await gamma.say("one", { channelId: "steer-room" });
  await model.isAsked(1);
  const agent = await system.main("steer-room", "gamma");
  const run = system.state(agent).turn?.run_id ?? "";
  const said: string[] = [];
  // The same words twice are two messages.
  for (const text of ["two", "two", "three"]) said.push(`gamma:${await gamma.say(text, { channelId: "steer-room" })}`);
  const inputs = () => system.up.file(run).filter(({ event }) => event === "input");
  await system.until(() => inputs().length === 3, "the run hears them");
  model.letAllGo();
  await system.turns(agent, 1);
  expect(itemsOf(system, agent)).toEqual([[`gamma:${first}`, ...said]]);
  const texts = textsOf(system, agent);
  expect(texts.filter((text) => text.startsWith("user"))).toEqual([
    "user: one",
    "user: two",
    "user: two",
    "user: three",
  ]);
  expect(texts.slice(4)).toEqual(["assistant: I have heard all."]);
  const last = system.askedOf("steer-room").at(-1);
  expect(last?.said.join("\n").match(/two/g)).toHaveLength(2);
  expect(new Set(system.history(agent).flatMap((one) => ("run_id" in one ? [one.run_id] : [])))).toEqual(
    new Set([run]),
  );
});

test.concurrent("a steered message that comes too late for the turn's last answer has a turn of its own", async () => {
  const model = holdModel(system, "late-room", (number) => ({ text: `answer ${number}` }));
  const ids: string[] = [];
  await gamma.say("one", { channelId: "late-room" });
  await model.isAsked(1);
  const agent = await system.main("late-room", "gamma");
  // Each is said just when the turn before it has had its last answer: sometimes before its end, sometimes behind.
  for (let number = 1; number <= 6; number++) {
    await model.isAsked(number);
    model.letGo(number);
    if (number === 6) break;
    await system.until(() => textsOf(system, agent).includes(`assistant: answer ${number}`), `answer ${number}`);
    ids.push(`gamma:${await gamma.say(`more ${number}`, { channelId: "late-room" })}`);
  }
  await system.until(() => ids.every((id) => itemsOf(system, agent).flat().includes(id)), "all were answered");
  const texts = textsOf(system, agent);
  for (let number = 1; number <= 5; number++)
    expect(texts.filter((text) => text === `user: more ${number}`)).toHaveLength(1);
  const last = system.askedOf("late-room").at(-1)?.said.join("\n") ?? "";
  for (let number = 1; number <= 5; number++) expect(last.match(new RegExp(`^more ${number}$`, "gm"))).toHaveLength(1);
  expect(texts.filter((text) => text.startsWith("assistant: "))).toHaveLength(6);
});

test.concurrent("a steered message whose turn was stopped before its model heard it has a turn of its own", async () => {
  const model = holdModel(system, "halted-room", (number) => ({ text: `answer ${number}` }));
  await gamma.say("one", { channelId: "halted-room" });
  await model.isAsked(1);
  const agent = await system.main("halted-room", "gamma");
  const run = system.state(agent).turn?.run_id ?? "";
  const second = await gamma.say("two", { channelId: "halted-room" });
  await system.until(() => system.up.file(run).some(({ event }) => event === "input"), "the run hears it");
  expect(await system.command("agents stop", { agent_id: agent })).toEqual({ stopped: true });
  await model.isAsked(2);
  model.letAllGo();
  await system.turns(agent, 2);
  expect(itemsOf(system, agent)[1]).toEqual([`gamma:${second}`]);
  const texts = () => textsOf(system, agent).filter((text) => !text.startsWith("system: "));
  expect(texts()).toEqual(["user: one", "user: two", "assistant: answer 2"]);
  const saidTwo = (number: number) => system.askedOf("halted-room")[number]?.said.join("\n").match(/^two$/gm);
  expect(saidTwo(1)).toHaveLength(1);
  // It stays in the prompt of the turn that has answered it.
  await gamma.say("three", { channelId: "halted-room" });
  await model.isAsked(3);
  await system.turns(agent, 3);
  expect(saidTwo(2)).toHaveLength(1);
  expect(system.askedOf("halted-room")[2]?.said.at(-2)).toMatch(/\ntwo$/);
});
