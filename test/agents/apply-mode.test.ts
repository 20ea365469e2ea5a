/** A message whose turn has begun before it is looked at by its mode: it neither interrupts that turn nor is told to it again. */
import { expect, test } from "vitest";
import { applyMode } from "../../agents/apply-mode.ts";
import type { Bus } from "../../bus/connection/connect.ts";
import type { InboxItem } from "../../protocol/agents/agent-files.ts";
import { AgentsAlone } from "./agents-alone.ts";

/** An agent in whose turn the first of two messages is, and the subjects to which something was published. */
async function inTurn(mode: "steer" | "interrupt") {
  const subjects: string[] = [];
  const bus = { isConnected: true, connection: { publish: (subject: string) => void subjects.push(subject) } };
  const agents = new AgentsAlone(undefined, bus as unknown as Bus, { alpha: mode });
  const agent = await agents.newAgent();
  const [own, other] = ["alpha:1", "alpha:2"].map((id): InboxItem => {
    const channel = { type: "alpha", channelId: "room", userId: "owner" };
    return { id, ts: Date.now(), type: "user", text: "the message", channel };
  }) as [InboxItem, InboxItem];
  for (const item of [own, other]) await agent.inbox.add(item);
  await agent.update({ turn: { run_id: String(Date.now()), items: [own.id], request: { prompt: "the message" } } });
  return { agents, agent, own, other, subjects };
}

test("a message is steered into the turn of another, not into its own", async () => {
  const { agents, agent, own, other, subjects } = await inTurn("steer");
  using _ = agents;
  await applyMode(agent, own);
  expect(subjects).toEqual([]);
  await applyMode(agent, other);
  expect(subjects).toEqual([expect.stringContaining("input")]);
});

test("a message ends the turn of another, not its own", async () => {
  const { agents, agent, own, other, subjects } = await inTurn("interrupt");
  using _ = agents;
  await applyMode(agent, own);
  expect([agent.state.turn?.is_unwanted, subjects]).toEqual([undefined, []]);
  await applyMode(agent, other);
  expect([agent.state.turn?.is_unwanted, subjects]).toEqual([true, [expect.stringContaining("cancel")]]);
});
