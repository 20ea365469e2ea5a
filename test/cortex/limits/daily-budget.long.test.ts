/** The limits of a day hold for runs at work, for those that wait, and over kill -9; a run's own over attempts and adoption. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { ErrorReason } from "../../../protocol/events/error-reason.ts";
import { type AgentEvent, isTerminal } from "../../../protocol/runs/event.ts";
import { exitCodeOf } from "../../../protocol/runs/exit-codes.ts";
import { CortexSystem, fixtureAgents } from "../../support/cortex-system.ts";

const daily = { max_total_tokens: 100 };
/** A zone in which it isn't midnight soon: then what was used would count no longer. */
const timeZone = new Date().getUTCHours() === 23 ? "Pacific/Honolulu" : "UTC";
const system = await CortexSystem.start({
  env: { CORTEX_TZ: timeZone },
  settings: {
    ...fixtureAgents("scripted"),
    max_attempts: 5,
    budgets: { personas: { thrifty: { daily }, frugal: { daily }, wild: { daily } }, models: { "dear-*": daily } },
  },
  files: {
    "personas/thrifty.txt": "Be thrifty.",
    "personas/frugal.txt": "Be frugal.",
    "personas/wild.txt": "Be wild.",
  },
});
afterAll(() => system[Symbol.asyncDispose]());

const last = (file: AgentEvent[]) => file.find(isTerminal);
const usage = (tokens: number) => ({ ev: { event: "usage", model: "m", input_tokens: tokens, cost_usd: 0 } });
const finish = { ev: { event: "finish", result: "ok" } };
const never = { await: "/nowhere" };
const overDay = (persona: string) =>
  expect.stringMatching(
    `used \\d+ tokens today, the limit budgets.personas.${persona}.daily.max_total_tokens is 100; \\d{8} ends at midnight \\(${timeZone}\\), then \\d{8} begins anew`,
  );

test("at the limit of a day those that run are stopped and others end at once, with exit code 4; other personas go on", async () => {
  const persona = "thrifty";
  const bystander = system.steps([usage(10), never], { persona });
  await system.heard(bystander, "usage");
  const other = system.steps([usage(5000), { await: join(system.journal, "go") }, finish], {});
  await system.heard(other, "usage");
  const spender = system.steps([usage(89), { await: join(system.journal, "on") }, usage(1), never], { persona });
  await system.heard(spender, "usage");
  writeFileSync(join(system.journal, "on"), "");
  for (const id of [bystander, spender])
    expect(last(await system.settled(id))).toMatchObject({ reason: "budget", error: overDay(persona) });
  const next = await system.settled(system.steps([finish], { persona }));
  expect(next.map(({ event }) => event)).toEqual(["request", "error"]);
  expect(last(next)).toMatchObject({ reason: "budget", error: overDay(persona) });
  expect(exitCodeOf(ErrorReason.parse(last(next)?.["reason"]))).toBe(4);
  writeFileSync(join(system.journal, "go"), "");
  expect(last(await system.settled(other))).toMatchObject({ event: "finish" });
});

test("at the limit of models that fit a pattern their runs are stopped or end at once; those of other models go on", async () => {
  const using = (model: string, tokens: number) => ({
    ev: { event: "usage", model, input_tokens: tokens, cost_usd: 0 },
  });
  const limit = expect.stringContaining(
    "used 100 tokens today, the limit budgets.models.dear-*.max_total_tokens is 100",
  );
  const go = join(system.journal, "go-on");
  const other = system.steps([using("cheap-1", 5000), { await: go }, finish], { model: "cheap-1" });
  const bystander = system.steps([using("dear-1", 10), never], { model: "dear-1" });
  for (const id of [other, bystander]) await system.heard(id, "usage");
  const spender = system.steps([using("dear-2", 90), never], { model: "dear-2" });
  for (const id of [bystander, spender])
    expect(last(await system.settled(id))).toMatchObject({ reason: "budget", error: limit });
  const next = await system.settled(system.steps([finish], { model: "dear-3" }));
  expect(next.map(({ event }) => event)).toEqual(["request", "error"]);
  expect(last(next)).toMatchObject({ reason: "budget", error: limit });
  writeFileSync(go, "");
  expect(last(await system.settled(other))).toMatchObject({ event: "finish" });
});

test("usage before kill -9 counts once after it, for ended runs and for an adopted one", async () => {
  const persona = "frugal";
  await system.settled(system.steps([usage(50), finish], { persona }));
  const file = join(system.journal, "again");
  const adopted = system.steps([usage(30), { await: file }, usage(19), { await: `${file}2` }, usage(1), never], {
    persona,
  });
  await system.heard(adopted, "usage");
  await system.killCortex();
  await system.startCortex();
  await system.heard(adopted, "adopted");
  writeFileSync(file, "");
  await system.until(() => system.of(adopted).filter(({ event }) => event === "usage").length === 2, "99 were used");
  writeFileSync(`${file}2`, "");
  expect(last(await system.settled(adopted))).toMatchObject({ reason: "budget", usage: { total_tokens: 50 } });
});

test("the usage of a lost attempt counts for the next one, model calls included", async () => {
  // Each attempt tells of 40 tokens, and then waits until it is lost.
  const tokens = system.steps([usage(40), never], { max_total_tokens: 100 });
  const calls = system.steps([usage(1), never], { max_total_turns: 2 });
  for (const id of [tokens, calls])
    for (const attempt of [1, 2]) {
      const isAt = () => system.of(id).filter(({ event }) => event === "usage").length === attempt;
      await system.until(isAt, `attempt ${attempt} of run ${id}`);
      system.killAttempt(id, attempt);
    }
  expect(last(await system.settled(tokens))).toMatchObject({
    reason: "budget",
    error: "used 120 tokens, the limit max_total_tokens is 100",
  });
  const file = await system.settled(calls);
  expect(last(file)).toMatchObject({ reason: "budget", error: expect.stringContaining("made 2 model calls") });
  expect(file.filter(({ event }) => event === "start")).toHaveLength(2);
});

test("an amount that nobody can have used ends the run that told it, and the day's limits hold on", async () => {
  const persona = "wild";
  for (let run = 0; run < 3; run++) {
    const id = system.steps([usage(1.7e308), never], { persona });
    expect(last(await system.settled(id))).toMatchObject({
      reason: "budget",
      error: "told of an amount that can't be (input_tokens 1.7e+308): the day's limits have nothing to go by",
    });
  }
  const honest = await system.settled(system.steps([usage(10), finish], { persona }));
  expect(last(honest)).toMatchObject({ event: "finish" });
  const spender = await system.settled(system.steps([usage(90), never], { persona }));
  expect(last(spender)).toMatchObject({ reason: "budget", error: overDay(persona) });
  const own = await system.settled(system.steps([usage(1e300), never], { max_total_tokens: 5 }));
  expect(last(own)).toMatchObject({
    reason: "budget",
    error: "told of an amount that can't be (input_tokens 1e+300): its limits of cost and tokens have nothing to go by",
  });
});
