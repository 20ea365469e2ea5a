/** Caps of a run, its tree, its persona, a model and the day: the next call is refused before it reaches the provider. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import { answersIn, answerWhole, callTokens, MeteredSystem, realKey, statusesIn, usageIn } from "./metered-system.ts";

const lastOf = (events: readonly AgentEvent[]) =>
  events.find(({ event }) => event === "finish" || event === "error") as AgentEvent;

test("a run's calls go through the gateway: with the key that the run never has, and each stands in its file once", async () => {
  await using metered = await MeteredSystem.start();
  const id = metered.run([{ look: realKey }, { calls: 1 }, { tell: { input_tokens: 999 } }, { calls: 1 }]);
  const events = await metered.system.ended(id);
  const [places, ...answers] = events
    .filter(({ event }) => event === "text")
    .map(({ text }) => JSON.parse(String(text)));
  // Without a wall it can look into our own processes, as anything of this user's can.
  expect(places).not.toContain("env");
  expect(answers).toMatchObject([{ status: 200 }, { status: 200 }]);
  expect(metered.asked).toEqual(Array(2).fill({ model: "claude-sonnet-4-5", key: realKey }));
  const used = { model: "claude-sonnet-4-5", input_tokens: callTokens.input, output_tokens: callTokens.output };
  expect(usageIn(events)).toMatchObject([
    { ...used, purpose: "metered" },
    { ...used, purpose: "metered" },
  ]);
  // What the agent tells of the same calls is kept, and counts for nothing.
  expect(events.filter(({ repeated }) => repeated === true)).toMatchObject([{ input_tokens: 999 }]);
  expect(lastOf(events)).toMatchObject({ event: "finish", usage: { total_tokens: 2 * callTokens.all } });
  expect(usageIn(events)[0]?.["cost_usd"]).toBeGreaterThan(0);
});

test.each<[string, Settings, Record<string, unknown>, string]>([
  ["the run's tokens", {}, { max_total_tokens: 60 }, "the limit max_total_tokens is 60"],
  ["the run's money", {}, { max_cost_usd: 0.001 }, "the limit max_cost_usd is 0.001"],
  ["the run's calls", {}, { max_total_turns: 2 }, "the limit max_total_turns is 2"],
  ["the day", { budgets: { daily: { max_total_tokens: 60 } } }, {}, "the limit budgets.daily.max_total_tokens is 60"],
  [
    "the persona",
    { budgets: { personas: { default: { daily: { max_total_tokens: 60 } } } } },
    {},
    "the limit budgets.personas.default.daily.max_total_tokens is 60",
  ],
  [
    "the model",
    { budgets: { models: { "claude-sonnet-*": { max_total_tokens: 60 } } } },
    {},
    "the limit budgets.models.claude-sonnet-*.max_total_tokens is 60",
  ],
])("at the cap of %s the next call is refused, and doesn't reach the provider", async (_, settings, limits, said) => {
  await using metered = await MeteredSystem.start({ settings });
  const id = metered.run([{ calls: 1 }, { calls: 1 }, { calls: 1, again: true }], limits);
  const events = await metered.system.ended(id);
  expect(metered.asked).toHaveLength(2);
  // Stopped at once where a limit is reached, the run needn't come so far as to hear that its third call is refused.
  const refused = answersIn(events).filter(({ status }) => status === 402);
  for (const { body } of refused)
    expect(body).toMatchObject({
      type: "error",
      error: { type: "billing_error", message: expect.stringContaining(said) },
    });
  const last = lastOf(events);
  if (last.event === "error") expect(last).toMatchObject({ reason: "budget", error: expect.stringContaining(said) });
  else expect(refused).not.toEqual([]);
  expect(usageIn(events)).toHaveLength(2);
});

test("a cap that others have reached refuses the first call, and other models go on", async () => {
  const models = { "claude-opus-*": { max_total_tokens: 50 } };
  await using metered = await MeteredSystem.start({ settings: { budgets: { models } } });
  await metered.system.ended(metered.run([{ calls: 1, model: "claude-opus-4-5" }]));
  const id = metered.run([{ calls: 1, model: "claude-opus-4-1" }, { calls: 1 }]);
  const events = await metered.system.ended(id);
  expect(statusesIn(events)).toEqual([402, 200]);
  expect(metered.asked.map(({ model }) => model)).toEqual(["claude-opus-4-5", "claude-sonnet-4-5"]);
});

test("what a run hands on keeps within the limits of its tree", async () => {
  await using metered = await MeteredSystem.start();
  const child = { backend: "calling", prompt: JSON.stringify([{ calls: 1 }, { calls: 1, again: true }]) };
  const id = metered.run([{ calls: 1 }], { max_total_tokens: 90, handoff: child });
  await metered.system.settled(id);
  const next = String(metered.system.file(id).find(({ event }) => event === "handoff")?.["to"]);
  const events = await metered.system.ended(next);
  expect(lastOf(events)).toMatchObject({ event: "error", reason: "budget" });
  expect(metered.asked).toHaveLength(2);
});

test("parallel calls don't overshoot together: no more than one goes beyond the cap", async () => {
  const open: ServerResponse[] = [];
  await using metered = await MeteredSystem.start({ answer: (response) => void open.push(response) });
  // Each is set aside as 40 tokens and what its request is at most: of a limit of 100 that is one beside another.
  const id = metered.run([{ calls: 10 }], { max_total_tokens: 100 });
  const { system, asked } = metered;
  await system.until(() => open.length > 0, "the first call is made");
  const answering = system.until(() => {
    for (const response of open.splice(0)) answerWhole(response);
    return system.file(id).some(({ event }) => event === "finish" || event === "error");
  }, "the run has ended");
  await answering;
  const events = await system.ended(id);
  expect(asked.length).toBeLessThanOrEqual(2);
  const tokens = usageIn(events).reduce(
    (sum, event) => sum + Number(event["input_tokens"]) + Number(event["output_tokens"]),
    0,
  );
  expect(tokens).toBeLessThanOrEqual(100);
});

test("of two runs that call at the same time only one is within the day's cap", async () => {
  const open: ServerResponse[] = [];
  await using metered = await MeteredSystem.start({
    settings: { budgets: { daily: { max_total_tokens: 30 } } },
    answer: (response) => void open.push(response),
  });
  const { system } = metered;
  const first = metered.run([{ calls: 1 }]);
  await system.until(() => open.length === 1, "the first call is under way");
  const second = metered.run([{ calls: 1, again: true }]);
  const refused = await system.until(() => answersIn(system.file(second))[0], "the second call is answered");
  expect(refused).toMatchObject({ status: 402, body: { error: { message: expect.stringContaining("under way") } } });
  for (const response of open) answerWhole(response);
  await Promise.all([system.ended(first), system.ended(second)]);
  expect(metered.asked).toHaveLength(1);
});

test("a run whose backend wants no gateway gets none", async () => {
  await using metered = await MeteredSystem.start({ backend: { gateway: false } });
  const events = await metered.system.ended(metered.run([{ calls: 1 }]));
  expect(statusesIn(events)).toEqual([0]);
  expect(metered.asked).toEqual([]);
});

test("a backend's own key stays with the gateway, too", async () => {
  const own = "sk-ant-own-9876543210";
  await using metered = await MeteredSystem.start({ backend: { env: { ANTHROPIC_API_KEY: own } } });
  const go = join(metered.system.journal, "go");
  const id = metered.run([{ look: own }, { await: go }, { calls: 1 }]);
  await metered.system.heard(id, "text");
  writeFileSync(go, "");
  const [places] = (await metered.system.ended(id)).filter(({ event }) => event === "text");
  expect(places).toMatchObject({ text: "[]" });
  expect(metered.asked).toEqual([{ model: "claude-sonnet-4-5", key: own }]);
});
