/** The news for channels about the turns of their messages, and who may hear it. */
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type ChannelTurn, hearChannelTurns, publishChannelTurns } from "../../../bus/agents/channel-turns.ts";
import type { Bus } from "../../../bus/connection/connect.ts";
import type { AgentNews } from "../../../protocol/agents/agent-event.ts";
import { patienceMs } from "../../support/patience.ts";
import { BusServer } from "../bus-server.ts";

let server: BusServer;
let agents: Bus;
beforeAll(async () => {
  server = await BusServer.start();
  agents = await server.as("agents");
});
afterAll(() => server[Symbol.asyncDispose]());

const tell = (event: AgentNews["event"], more: object) =>
  publishChannelTurns(agents, { event, ts: Date.now(), agent_id: "tz4a98xxat96iws9zmbrgj3a", ...more });

async function hear(user: "channel-slack" | "channel-telegram", type: string): Promise<ChannelTurn[]> {
  const bus = await server.as(user);
  const heard: ChannelTurn[] = [];
  hearChannelTurns(bus, type, (turn) => heard.push(turn));
  await bus.connection.flush();
  return heard;
}

test("an adapter hears which of its messages a turn is for, and when that is over, and nothing of other channels", async () => {
  const slack = await hear("channel-slack", "slack");
  const telegram = await hear("channel-telegram", "telegram");
  const foreign = await hear("channel-telegram", "slack");
  tell("turn_started", { items: ["slack:a", "telegram:b", "slack:c", "memory-1736380800000", "cron:night:1"] });
  tell("message", { item: "slack:d" });
  tell("turn_ended", { items: ["slack:a", "slack:c"], ok: true });
  tell("taken_back", { item: "slack:d" });
  tell("reset", { reason: "asked", items: ["slack:e"] });
  tell("reset", { reason: "emergency" });
  tell("turn_ended", { items: ["slack:last", "telegram:last"] });
  await vi.waitFor(() => expect([slack.at(-1)?.ids, telegram.at(-1)?.ids]).toEqual([["last"], ["last"]]), patienceMs);
  expect(slack).toEqual([
    { event: "turn_started", ids: ["a", "c"] },
    { event: "turn_ended", ids: ["a", "c"] },
    { event: "turn_ended", ids: ["d"] },
    { event: "turn_ended", ids: ["e"] },
    { event: "turn_ended", ids: ["last"] },
  ]);
  expect(telegram).toEqual([
    { event: "turn_started", ids: ["b"] },
    { event: "turn_ended", ids: ["last"] },
  ]);
  expect(foreign).toEqual([]);
});

test("what isn't such news is passed over", async () => {
  const slack = await hear("channel-slack", "slack");
  for (const text of [
    "{",
    "null",
    '{"event":"turn_started"}',
    '{"event":"message","ids":[]}',
    '{"event":"turn_ended","ids":[1]}',
  ])
    agents.connection.publish("channel.turn.slack", text);
  tell("turn_ended", { items: ["slack:last"] });
  await vi.waitFor(() => expect(slack).toEqual([{ event: "turn_ended", ids: ["last"] }]), patienceMs);
});
