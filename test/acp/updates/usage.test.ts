import { expect, test } from "vitest";
import { SessionUsage } from "../../../acp/updates/usage.ts";
import type { AgentEvent } from "../../../protocol/runs/event.ts";

const event = (name: string, fields: object = {}): AgentEvent => ({
  event: name,
  ts: 0,
  agent_id: "1736380800000",
  seq: 1,
  ...fields,
});
const call = (cost_usd: number, fields: object = {}) =>
  event("usage", { input_tokens: 10, output_tokens: 5, cost_usd, ...fields });
const told = (used: number, size: number, amount: number) => ({ used, size, cost: { amount, currency: "USD" } });

test("the cost adds up over calls and runs, and the totals of an end that repeats them count for nothing", () => {
  const usage = new SessionUsage();
  expect(usage.next(event("request"))).toBeNull();
  expect(usage.next(call(0.5, { context_tokens: 100, context_window: 1000 }))).toEqual(told(100, 1000, 0.5));
  expect(usage.next(call(0.25, { context_tokens: 200 }))).toEqual(told(200, 1000, 0.75));
  expect(usage.next(event("finish", { usage: { input_tokens: 20, output_tokens: 10, cost_usd: 0.75 } }))).toBeNull();
  usage.next(event("request"));
  // A backend that tells of its calls at the end alone.
  expect(usage.next(event("finish", { usage: { input_tokens: 7, output_tokens: 1, cost_usd: 1 } }))).toEqual(
    told(8, 1000, 1.75),
  );
});

test("a call beside the conversation costs and fills nothing; one that repeats another costs nothing", () => {
  const usage = new SessionUsage();
  usage.next(call(0.5, { context_tokens: 100 }));
  expect(usage.next(call(0.25, { purpose: "compaction", context_tokens: 9 }))).toEqual(told(100, 32_000, 0.75));
  expect(usage.next(call(0.25, { repeated: true }))).toBeNull();
});
