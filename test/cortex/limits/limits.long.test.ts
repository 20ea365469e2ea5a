/** Limits are enforced outside of the agent: time, silence, tokens and money, each by itself. */
import { afterAll, expect, test } from "vitest";
import { type AgentEvent, isTerminal } from "../../../protocol/runs/event.ts";
import { CortexSystem, fixtureAgent, fixtureAgents } from "../../support/cortex-system.ts";

const chatty = `setInterval(() => console.log(JSON.stringify({ event: "text", text: "still here" })), 100)`;
const pulsing = `while :; do echo '{"event":"pulse"}'; sleep 0.1; done`;
const quick = `read -r config; echo '{"event":"finish","result":"next"}'`;
const inline = (code: string) => ({ command: [process.execPath, "-e", code] });
const system = await CortexSystem.start({
  settings: {
    max_concurrent: 16,
    default_backend: "scripted",
    backends: {
      ...fixtureAgents("scripted", "forever").backends,
      chatty: inline(chatty),
      pulsing: { command: ["sh", "-c", pulsing] },
      quick: { command: ["sh", "-c", quick] },
      cheap: fixtureAgent("scripted"),
    },
  },
});
afterAll(() => system[Symbol.asyncDispose]());

const last = (file: AgentEvent[]) => file.find(isTerminal);
const usage = (input_tokens: number, output_tokens: number, cost_usd: number | null = null) => ({
  ev: { event: "usage", model: "m", input_tokens, output_tokens, cost_usd },
});
const finish = (result: string) => ({ ev: { event: "finish", result } });
const childOf = (file: AgentEvent[]) => String(file.find(({ event }) => event === "handoff")?.["to"]);

test.concurrent("the wall clock stops an agent that never stops talking", async () => {
  const id = system.request({ prompt: "go", backend: "chatty", timeout_seconds: 1, idle_timeout_seconds: 60 });
  const end = last(await system.settled(id));
  expect(end).toMatchObject({
    event: "error",
    reason: "timeout",
    error: expect.stringContaining("timeout_seconds, 1 s"),
  });
});

test.concurrent("the idle clock stops a silent agent, however long its wall clock is", async () => {
  const id = system.request({ prompt: "go", backend: "forever", timeout_seconds: 1e9, idle_timeout_seconds: 1 });
  const end = last(await system.settled(id));
  expect(end).toMatchObject({ reason: "idle", error: expect.stringContaining("idle_timeout_seconds, 1 s") });
});

test.concurrent("the wall clock stops a silent agent, however long its idle clock is", async () => {
  const id = system.request({ prompt: "go", backend: "forever", timeout_seconds: 1, idle_timeout_seconds: 1e9 });
  expect(last(await system.settled(id))).toMatchObject({ reason: "timeout" });
});

test.concurrent("a pulse ends the silence, and leaves no other trace", async () => {
  const id = system.request({ prompt: "go", backend: "pulsing", timeout_seconds: 8, idle_timeout_seconds: 5 });
  const file = await system.settled(id);
  expect(last(file)).toMatchObject({ reason: "timeout" });
  expect(file.map(({ event }) => event)).toEqual(["request", "start", "error"]);
  expect(system.of(id)).toEqual(file);
});

test.concurrent("a run at its limit of tokens is stopped, from its usage events alone", async () => {
  const id = system.steps([usage(30, 10), usage(40, 20), finish("too late")], { max_total_tokens: 100 });
  const file = await system.settled(id);
  expect(last(file)).toMatchObject({ event: "error", reason: "budget" });
  expect(last(file)?.["error"]).toContain("100");
  expect(file.filter(({ event }) => event === "usage")).toHaveLength(2);
});

test.concurrent("a run at its limit of money is stopped, and one whose price is unknown as well, which it says once", async () => {
  const dear = system.steps([usage(1, 1, 0.25), usage(1, 1, 0.25), finish("too late")], { max_cost_usd: 0.5 });
  const unknown = system.steps([usage(1, 1), usage(4000, 1000), finish("too late")], { max_cost_usd: 0.5 });
  expect(last(await system.settled(dear))).toMatchObject({ reason: "budget", error: expect.stringContaining("0.5") });
  const file = await system.settled(unknown);
  expect(last(file)).toMatchObject({ reason: "budget", error: expect.stringContaining("at most 0.5002 USD") });
  expect(file.map(({ event }) => event)).toEqual(["request", "start", "usage", "info", "usage", "error"]);
  expect(file[3]?.["message"]).toMatch("no price is known for m");
});

test.concurrent("calls reported together count up to the limit, and those reported after the terminal event don't", async () => {
  const chunk = [usage(50, 0), usage(49, 0), usage(1, 0), usage(7, 0)].map(({ ev }) => `${JSON.stringify(ev)}\n`);
  const stopped = system.steps([{ raw: chunk.join("") }, finish("too late")], { max_total_tokens: 100 });
  const late = `${JSON.stringify({ event: "finish", result: "in time" })}\n${chunk.join("")}`;
  const ended = system.steps([{ raw: late }], { max_total_tokens: 100, handoff: { prompt: "next", backend: "cheap" } });
  expect(last(await system.settled(stopped))).toMatchObject({
    reason: "budget",
    error: expect.stringContaining("used 100 tokens"),
    usage: { total_tokens: 107 },
  });
  const file = await system.settled(ended);
  expect(file.map(({ event }) => event)).toEqual(["request", "start", "info", "finish", "handoff"]);
  expect((await system.settled(childOf(file)))[0]).toMatchObject({ max_total_tokens: 100 });
});

test.concurrent("model calls are limited over a chain: the last one may be made, and then nothing begins", async () => {
  const two = { max_total_turns: 2 };
  const next = { backend: "cheap", prompt: JSON.stringify([usage(1, 1), usage(1, 1), finish("too late")]) };
  const parent = system.steps([usage(1, 1), finish("next")], { ...two, handoff: next });
  const none = system.steps([usage(1, 1), usage(1, 1), finish("in time")], { ...two, handoff: next });
  const child = await system.settled(childOf(await system.settled(parent)));
  expect(child[0]).toMatchObject({ max_total_turns: 1 });
  expect(last(child)).toMatchObject({ reason: "budget", error: expect.stringContaining("made 2 model calls") });
  const file = await system.settled(none);
  expect(file.map(({ event }) => event).slice(-2)).toEqual(["info", "finish"]);
  expect(file.at(-2)?.["message"]).toBe("no handoff: max_total_turns is exhausted");
});

test.concurrent("time is limited over a chain beside each run's own wall clock", async () => {
  const id = system.request({
    prompt: "go",
    backend: "quick",
    max_total_seconds: 5,
    timeout_seconds: 60,
    handoff: { backend: "forever", prompt: "go" },
  });
  const child = await system.settled(childOf(await system.settled(id)));
  const left = Number(child[0]?.["max_total_seconds"]);
  expect([left > 0, left < 5, child[0]?.["timeout_seconds"]]).toEqual([true, true, 60]);
  expect(last(child)).toMatchObject({ reason: "budget", error: expect.stringContaining("max_total_seconds") });
});

test.concurrent("below its limits a run goes on; the totals in finish don't count a second time", async () => {
  const id = system.steps([usage(50, 49), { ev: { event: "finish", result: "ok", usage: { input_tokens: 99 } } }], {
    max_total_tokens: 100,
  });
  expect(last(await system.settled(id))).toMatchObject({ event: "finish", result: "ok" });
});

test.concurrent("usage that makes no sense stops nobody and lowers nothing", async () => {
  const odd = [{ input_tokens: -50 }, { input_tokens: "many" }, { output_tokens: 0.5 }];
  const id = system.steps([...odd.map((fields) => ({ ev: { event: "usage", ...fields } })), finish("fine")], {
    max_total_tokens: 100,
    handoff: { prompt: "next" },
  });
  const file = await system.settled(id);
  expect(last(file)).toMatchObject({ event: "finish" });
  expect((await system.settled(childOf(file)))[0]).toMatchObject({ max_total_tokens: 99 });
});

test.concurrent("a run's usage is gone for the runs that it hands off to", async () => {
  const id = system.steps([usage(30, 10, 0.1), finish("next")], {
    max_total_tokens: 100,
    max_cost_usd: 1,
    timeout_seconds: 30,
    handoff: {
      max_total_tokens: 500,
      max_cost_usd: 5,
      timeout_seconds: 500,
      backend: "cheap",
      prompt: JSON.stringify([usage(40, 20), finish("too late")]),
    },
  });
  const child = await system.settled(childOf(await system.settled(id)));
  expect(child[0]).toMatchObject({ max_total_tokens: 60, max_cost_usd: 0.9, timeout_seconds: 30 });
  expect(last(child)).toMatchObject({ reason: "budget" });
});
