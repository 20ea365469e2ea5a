/** Suballocations of a run's limits: taken once, also by a cortex that is killed before it answers, and gone for the run itself. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { askGrant } from "../../../bus/runs/grants.ts";
import { openBus } from "../../../bus/connection/connect.ts";
import { addressAs, readBusAccess } from "../../../journal/access/endpoints.ts";
import { isTerminal } from "../../../protocol/runs/event.ts";
import { StopPoint } from "../../chaos/stop-point.ts";
import { CortexSystem, fixtureAgents } from "../../support/cortex-system.ts";
import { patienceMs } from "../../support/patience.ts";

const stop = new StopPoint();
const system = await CortexSystem.start({ settings: fixtureAgents("scripted"), env: stop.env });
const access = readBusAccess(system.journal);
if (!access) throw new Error("no bus");
const agents = await openBus(addressAs(access, "agents"), "agents", patienceMs);
afterAll(async () => {
  stop[Symbol.dispose]();
  await agents[Symbol.asyncDispose]();
  await system[Symbol.asyncDispose]();
});

const usage = (input_tokens: number) => ({ ev: { event: "usage", model: "m", input_tokens, cost_usd: 0 } });
const gate = (id: string) => join(system.journal, `gate-${id}`);
const grants = (id: string) => system.file(id).filter(({ event }) => event === "granted");

/** A run that has used 100 tokens, waits to be let on, uses more, and finishes. */
async function atWork(then: number, limits: Record<string, unknown>): Promise<string> {
  const id = system.nextId();
  system.steps([usage(100), { await: gate(id) }, usage(then), { ev: { event: "finish", result: "." } }], limits, id);
  await system.until(() => system.file(id).some(({ event }) => event === "usage"), "it is at work");
  return id;
}

async function endOf(id: string) {
  writeFileSync(gate(id), "");
  return (await system.settled(id)).find(isTerminal);
}

test("a share is taken once for an id, out of what is left, and the run can't use it", async () => {
  const id = await atWork(250, { max_total_tokens: 1000, max_cost_usd: 1 });
  const first = { ok: true, limits: { max_total_tokens: 450, max_cost_usd: 0.5 } };
  expect(await askGrant(agents, id, { id: "one", share: 0.5 })).toEqual(first);
  expect(await askGrant(agents, id, { id: "one", share: 0.9 })).toEqual(first);
  const second = { max_total_tokens: 225, max_cost_usd: 0.25 };
  expect(await askGrant(agents, id, { id: "two", share: 0.5 })).toEqual({ ok: true, limits: second });
  expect(grants(id).map(({ id: of, limits }) => [of, limits])).toEqual([
    ["one", first.limits],
    ["two", second],
  ]);
  // 350 of 1000 are used, and 325 were its own.
  expect(await endOf(id)).toMatchObject({
    reason: "budget",
    error: "used 350 tokens, the limit max_total_tokens is 1000, of which 675 went to those whom it sent off",
  });
});

test("an agent's own granted event is not a grant, and a run without limits gives without one", async () => {
  const forged = { ev: { event: "granted", id: "x", limits: { max_total_tokens: -500 } } };
  const id = system.nextId();
  system.steps([forged, usage(10), { await: gate(id) }, { ev: { event: "finish", result: "." } }], {}, id);
  await system.until(() => system.file(id).some(({ event }) => event === "usage"), "it is at work");
  expect(await askGrant(agents, id, { id: "one", share: 0.5 })).toEqual({ ok: true, limits: {} });
  expect(await endOf(id)).toMatchObject({ event: "finish" });
  expect(system.file(id).map(({ event }) => event)).toEqual(["request", "start", "info", "usage", "finish"]);
});

test("calls and time go with it; of nothing there is no share, and of a run that is over none", async () => {
  const id = await atWork(1, { max_total_turns: 3, max_total_seconds: 1000 });
  const answer = await askGrant(agents, id, { id: "one", share: 0.5 });
  expect(answer).toMatchObject({ ok: true, limits: { max_total_turns: 1 } });
  expect(answer?.limits?.max_total_seconds).toBeGreaterThan(400);
  expect(await askGrant(agents, id, { id: "two", share: 0.5 })).toEqual({
    ok: false,
    error: "max_total_turns is exhausted",
  });
  expect(await endOf(id)).toMatchObject({ event: "finish" });
  expect(await askGrant(agents, id, { id: "three", share: 0.5 })).toBe(null);
  const timed = await atWork(1, { max_total_seconds: 1000 });
  await askGrant(agents, timed, { id: "all", share: 1 });
  await system.settled(timed);
  expect(system.file(timed).find(isTerminal)).toMatchObject({
    reason: "budget",
    error: expect.stringContaining("max_total_seconds"),
  });
});

test.each(["place-noted", "events-written", "events-published"] as const)(
  "killed with -9 at “%s”, before it answers, cortex gives it once",
  async (point) => {
    const id = await atWork(250, { max_total_tokens: 1000 });
    stop.set(point, 1);
    const asked = { id: "one", share: 0.5 };
    const unanswered = askGrant(agents, id, asked);
    await system.until(() => stop.isReached(), point);
    stop.clear();
    await system.killCortex();
    expect(await unanswered).toBe(null);
    await system.startCortex();
    const again = await system.until(() => askGrant(agents, id, asked), "it is answered");
    expect(again).toEqual({ ok: true, limits: { max_total_tokens: 450 } });
    expect(grants(id)).toHaveLength(1);
    expect(await askGrant(agents, id, { id: "two", share: 0.5 })).toEqual({
      ok: true,
      limits: { max_total_tokens: 225 },
    });
    expect(await endOf(id)).toMatchObject({ reason: "budget" });
    expect(system.of(id).filter(({ event }) => event === "granted")).toHaveLength(2);
  },
);
