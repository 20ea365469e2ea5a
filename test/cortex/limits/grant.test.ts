/** Suballocations of a run's limits: taken once, and gone for the run itself. */
import { afterAll, expect, test } from "vitest";
import { askGrant } from "../../../bus/runs/grants.ts";
import { isTerminal } from "../../../protocol/runs/event.ts";
import { GrantRuns, usage } from "./grant-runs.ts";

const runs = await GrantRuns.start();
const { system, agents } = runs;
afterAll(() => runs[Symbol.asyncDispose]());

test("a share is taken once for an id, out of what is left, and the run can't use it", async () => {
  const id = await runs.atWork(250, { max_total_tokens: 1000, max_cost_usd: 1 });
  const first = { ok: true, limits: { max_total_tokens: 450, max_cost_usd: 0.5 } };
  expect(await runs.askFor(id, { id: "one", share: 0.5 })).toEqual(first);
  expect(await runs.askFor(id, { id: "one", share: 0.9 })).toEqual(first);
  const second = { max_total_tokens: 225, max_cost_usd: 0.25 };
  expect(await runs.askFor(id, { id: "two", share: 0.5 })).toEqual({ ok: true, limits: second });
  expect(runs.grants(id).map(({ id: of, limits }) => [of, limits])).toEqual([
    ["one", first.limits],
    ["two", second],
  ]);
  // 350 of 1000 are used, and 325 were its own.
  expect(await runs.endOf(id)).toMatchObject({
    reason: "budget",
    error: "used 350 tokens, the limit max_total_tokens is 1000, of which 675 went to those whom it sent off",
  });
});

test("an agent's own granted event is not a grant, and a run without limits gives without one", async () => {
  const forged = { ev: { event: "granted", id: "x", limits: { max_total_tokens: -500 } } };
  const id = system.nextId();
  system.steps([forged, usage(10), { await: runs.gate(id) }, { ev: { event: "finish", result: "." } }], {}, id);
  await system.until(() => system.file(id).some(({ event }) => event === "usage"), "it is at work");
  expect(await runs.askFor(id, { id: "one", share: 0.5 })).toEqual({ ok: true, limits: {} });
  expect(await runs.endOf(id)).toMatchObject({ event: "finish" });
  expect(system.file(id).map(({ event }) => event)).toEqual(["request", "start", "info", "usage", "finish"]);
});

test("calls and time go with it; of nothing there is no share, and of a run that is over none", async () => {
  const id = await runs.atWork(1, { max_total_turns: 3, max_total_seconds: 1000 });
  const answer = await runs.askFor(id, { id: "one", share: 0.5 });
  expect(answer).toMatchObject({ ok: true, limits: { max_total_turns: 1 } });
  expect(answer.limits?.max_total_seconds).toBeGreaterThan(400);
  expect(await runs.askFor(id, { id: "two", share: 0.5 })).toEqual({
    ok: false,
    error: "max_total_turns is exhausted",
  });
  expect(await runs.endOf(id)).toMatchObject({ event: "finish" });
  expect(await askGrant(agents, id, { id: "three", share: 0.5 })).toBe(null);
  const timed = await runs.atWork(1, { max_total_seconds: 1000 });
  await runs.askFor(timed, { id: "all", share: 1 });
  await system.settled(timed);
  expect(system.file(timed).find(isTerminal)).toMatchObject({
    reason: "budget",
    error: expect.stringContaining("max_total_seconds"),
  });
});
