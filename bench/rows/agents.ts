/** Long-lived agents: opening one with a long past, and many to whom much is said, with a model that costs nothing. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentIdOf, descriptorOf } from "../../agents/record/agent-id.ts";
import { publishInbound } from "../../bus/agents/inbound.ts";
import { openBus } from "../../bus/connection/connect.ts";
import { agentFolder } from "../../journal/agents/agent-files.ts";
import { AgentHistory } from "../../journal/agents/agent-history.ts";
import { addressAs, readBusAccess } from "../../journal/access/endpoints.ts";
import type { AgentState } from "../../protocol/agents/agent-files.ts";
import { UpJournal } from "../../test/supervisor/up-process.ts";
import type { Benchmark, Row } from "../harness/figures/benchmark.ts";
import { residentOf } from "../harness/processes.ts";
import { until } from "../harness/until.ts";

/** Records of a history. */
const records = 100_000;
/** Records since the last reset. */
const recent = 1_000;
const patienceMs = 3_600_000;

/** Says its answer at once. */
const trivial = `read -r config; echo '{"event":"start"}'; echo '{"event":"finish","result":"Well."}'`;
const settings = {
  default_backend: "trivial",
  backends: { trivial: { command: ["/bin/sh", "-c", trivial] } },
  channels: { bench: { external: true } },
  agents: { join_window_ms: 0 },
};

export const measure: Benchmark = async ({ rounds, isQuick }) => [
  ...(await longPast(rounds)),
  ...(await manyAgents(isQuick ? 20 : 1000, isQuick ? 60 : 10_000)),
];

async function longPast(rounds: number): Promise<Row[]> {
  await using journal = new UpJournal(settings);
  const whole = writeAgent(journal.path, "whole", null);
  const reset = writeAgent(journal.path, "reset", recent);
  const rows = { whole: [] as number[], reset: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    rows.whole.push(timeOpening(journal.path, whole));
    rows.reset.push(timeOpening(journal.path, reset));
  }
  const what = `an agent's history of ${records.toLocaleString("en")} records`;
  return [
    { what: `${what}: opened`, unit: "ms", ours: rows.whole, target: { atMost: 200 } },
    {
      what: `the same, ${recent.toLocaleString("en")} of them since its last reset`,
      unit: "ms",
      ours: rows.reset,
      target: { atMost: 20 },
    },
  ];
}

function timeOpening(journal: string, id: string): number {
  const started = performance.now();
  using history = new AgentHistory(journal, id);
  const ms = performance.now() - started;
  if (history.records.length < recent) throw new Error(`a history of ${history.records.length} records`);
  return ms;
}

/** The files of an agent to whom much was said. @param since how many records ago it was reset */
function writeAgent(journal: string, channelId: string, since: number | null): string {
  const key = { kind: "user", connector: "bench", channelId, userId: channelId } as const;
  const id = agentIdOf(key);
  const created = Date.now() - records;
  const state: AgentState = {
    lifecycle: "active",
    provider: {},
    permissions: [],
    asked: [],
    created,
    updated: created,
    context_tokens: 0,
    has_memory_index: false,
    turn: null,
  };
  const lines = Array.from({ length: records }, (_, at) => {
    const base = { ts: created + at, id: `${channelId}-${at}` };
    if (at === 0) return { ...base, type: "start" };
    if (since !== null && at === records - since) return { ...base, type: "reset" };
    const text = `What did we decide about the greenhouse, point ${at}? It was decided to go on with it.`;
    return at % 2 === 1
      ? { ...base, type: "user", text }
      : { ...base, type: "assistant", text, run_id: String(base.ts) };
  });
  const folder = agentFolder(journal, id);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "descriptor.json"), JSON.stringify(descriptorOf(key, created)));
  writeFileSync(join(folder, "state.json"), JSON.stringify(state));
  writeFileSync(join(folder, "history.jsonl"), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return id;
}

async function manyAgents(agents: number, messages: number): Promise<Row[]> {
  await using journal = new UpJournal(settings);
  await journal.start().isUp();
  const access = readBusAccess(journal.path);
  if (!access) throw new Error("no bus");
  await using owner = await openBus(addressAs(access, "owner"), "owner");
  await using channel = await openBus(addressAs(access, "channel-bench"), "channel-bench");
  const answered = new Set<string>();
  owner.connection.subscribe("agent.event.*.turn_ended", {
    callback: (_, message) => {
      for (const item of message.json<{ items: string[] }>().items) answered.add(item);
    },
  });
  await owner.connection.flush();
  const pid = journal.pids()["agents"] ?? 0;
  const before = residentOf(pid);
  const started = performance.now();
  for (let number = 0; number < messages; number++) {
    const userId = `user-${number % agents}`;
    await publishInbound(channel, {
      id: String(number),
      text: `message ${number}`,
      channel: { type: "bench", channelId: userId, userId },
    });
  }
  const taken = performance.now() - started;
  await until(() => answered.size >= messages, `${messages} messages are answered`, patienceMs);
  const all = performance.now() - started;
  const after = residentOf(pid);
  const what = `${agents.toLocaleString("en")} agents, ${messages.toLocaleString("en")} messages`;
  return [
    { what: `${what}: sent`, unit: "a second", ours: [(messages * 1000) / taken], target: null },
    { what: `${what}: answered`, unit: "a second", ours: [(messages * 1000) / all], target: null },
    { what: `${what}: memory of the agents' service`, unit: "MiB", ours: [after], target: null },
    { what: "the same before them", unit: "MiB", ours: [before], target: null },
  ];
}
