/** A turn that fails within cortex each time ends: its items are put away, its user is told, and the agent goes on. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { AgentsAlone } from "./agents-alone.ts";
import { endedFile } from "../../journal/runs/run-files.ts";
import { listQuarantine } from "../../journal/quarantine/quarantine.ts";
import type { InboxItem } from "../../protocol/agents/agent-files.ts";
import type { Bus } from "../../bus/connection/connect.ts";

const message: InboxItem = {
  id: "alpha:1",
  ts: Date.now(),
  type: "user",
  text: "the message",
  channel: { type: "alpha", channelId: "room", userId: "owner" },
};

test("an item that fails three times is put away with the reason, and the user hears it", {
  timeout: 60_000,
}, async () => {
  let tries = 0;
  using agents = new AgentsAlone(async () => {
    tries++;
    throw new Error("the catalog says nonsense");
  });
  const agent = await agents.newAgent();
  await agent.post(message);
  expect(await agents.told).toMatch(/I couldn't answer \(internal\): .*put away.*the catalog says nonsense/);
  expect(tries).toBe(3);
  expect(agent.inbox.waiting).toEqual([]);
  expect(agent.state.turn).toBe(null);
  expect(listQuarantine(agents.journal).map(({ record }) => record?.error)).toEqual(["the catalog says nonsense"]);
});

test("what the run of a turn has cost counts, though the turn is put away", { timeout: 60_000 }, async () => {
  using agents = new AgentsAlone();
  const agent = await agents.newAgent();
  const run_id = String(Date.now());
  const usage = { event: "usage", model: "m-1", input_tokens: 70, output_tokens: 5, cost_usd: 0.25 };
  const events = [{ event: "request", prompt: "the message" }, usage, usage, { event: "finish", result: "Yes." }];
  const path = endedFile(agents.journal, run_id);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(
    path,
    events
      .map((event, at) => `${JSON.stringify({ ...event, ts: Date.now(), agent_id: run_id, seq: at + 1 })}\n`)
      .join(""),
  );
  const { id, channel } = message;
  await agent.update({ turn: { run_id, items: [id], channel, request: { prompt: message.text }, is_fitted: true } });
  // There is no bus to follow its run on: it fails each time.
  await agent.post(message);
  await agents.told;
  expect(agent.state).toMatchObject({
    turn: null,
    accounts: { input_tokens: 140, output_tokens: 10, cost_usd: 0.5 },
    spent: { usd: 0.5, tokens: 150, is_known: true },
  });
});

test("a conversation beyond its emergency limit isn't begun anew because the service ends during its summary", {
  timeout: 60_000,
}, async () => {
  const closed = { isConnected: false, connection: { isClosed: () => true, info: { max_payload: 1024 * 1024 } } };
  using agents = new AgentsAlone(undefined, closed as unknown as Bus);
  const agent = await agents.newAgent();
  await agent.update({ provider: { backend: "claude" }, last_run: "1736380800000", context_tokens: 10_000_000 });
  await agent.post(message);
  await agents.told;
  expect(agent.history.records.map(({ type }) => type)).not.toContain("reset");
  expect(agent.state.summing).toBeDefined();
});
