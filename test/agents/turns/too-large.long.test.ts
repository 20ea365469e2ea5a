/**
 * The messages too large for a turn: they are answered in several, or refused with a reason; and one that can't be read
 * stops no agent.
 */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { descriptorOf } from "../../../agents/record/agent-id.ts";
import { waitingOf } from "../../../journal/agents/agent-inbox.ts";
import { listQuarantine } from "../../../journal/quarantine/quarantine.ts";
import { keepQuestion } from "../../../journal/permissions/questions.ts";
import type { KeptQuestion } from "../../../protocol/permissions/call-question.ts";
import type { AgentState, InboxItem } from "../../../protocol/agents/agent-files.ts";
import { AgentsSystem } from "../agents-system.ts";

const began = Date.now() - 3_600_000;
const items = (channelId: string, ...texts: string[]): InboxItem[] =>
  texts.map((text, n) => ({
    id: `alpha:${channelId}-${n}`,
    ts: began + n,
    type: "user",
    text,
    channel: { type: "alpha", channelId, userId: "owner" },
  }));
const ids = (all: InboxItem[]) => all.map(({ id }) => id);
const long = (word: string, bytes: number) => word + "x".repeat(bytes);

const files: Record<string, string> = {};
/** An agent as a former life of the program has left it. */
function left(
  channelId: string,
  waiting: InboxItem[],
  more: Partial<AgentState> | string = {},
  key: { name?: string } = {},
): string {
  const descriptor = descriptorOf({ kind: "main", connector: "alpha", channelId, ...key }, began);
  const folder = `agents/${descriptor.id}`;
  const state = {
    lifecycle: "active",
    provider: {},
    permissions: [],
    created: began,
    updated: began,
    context_tokens: 0,
    has_memory_index: false,
    turn: null,
  };
  files[`${folder}/descriptor.json`] = JSON.stringify(descriptor);
  files[`${folder}/state.json`] = typeof more === "string" ? more : JSON.stringify({ ...state, ...more });
  files[`${folder}/inbox.jsonl`] = waiting.map((one) => `${JSON.stringify(one)}\n`).join("");
  return descriptor.id;
}
const turnOf = (waiting: InboxItem[], run: number, more: object = {}) => ({
  run_id: String(run),
  items: ids(waiting),
  request: { ts: run, prompt: waiting.map(({ text }) => text).join("\n"), persona: "main" },
  channel: waiting[0]?.channel,
  ...more,
});

const two = items("two", long("one", 600_000), long("two", 600_000));
const kept = items("kept", long("one", 600_000), long("two", 600_000));
const stopped = items("stopped", long("one", 600_000), long("two", 600_000));
const alone = items("alone", long("all", 1_200_000), "and this");
const agents = {
  two: left("two", two),
  kept: left("kept", kept, { turn: turnOf(kept, began) }),
  stopped: left("stopped", stopped, { turn: turnOf(stopped, began + 1, { is_unwanted: true }) }),
  alone: left("alone", alone),
  broken: left("broken", items("broken", "what waits"), '{"lifecycle": "act'),
  torn: left("torn", items("torn", "what can be read")),
};
// Its channel isn't in the settings any more, and its persona's text is a reply.
files["personas/plain.json"] = JSON.stringify({ text_is_reply: true });
const gone = items("gone", "hello").map((item) => ({ ...item, channel: { type: "gone", channelId: "gone" } }));
const orphan = left("gone", gone, {}, { name: "plain" });
const token = "0123456789abcdef0123456789abcdef";
const asking = left("asking", items("asking", "who asks"));
const question: KeptQuestion = {
  id: token,
  tool: "request_permission",
  args: { path: "/tmp/x" },
  why: "so",
  rules: [],
  write_path: "/tmp/x",
  run: String(began),
  ts: began,
  expires: Date.now() + 3_600_000,
  agent: asking,
  channel: { type: "gone", channelId: "gone" },
};
files[`agents/${agents.torn}/inbox.jsonl`] =
  `{"id": "x", "ts": "never"}\nno JSON\n${files[`agents/${agents.torn}/inbox.jsonl`]}`;
const said = { type: "user", ts: began, id: "old", text: "before", channel: items("broken", "x")[0]?.channel };
files[`agents/${agents.broken}/history.jsonl`] =
  `${JSON.stringify({ type: "start", ts: began, id: "start" })}\n${JSON.stringify(said)}\n`;

const settings = {
  agents: { join_window_ms: 300, owners: ["alpha:owner"], binding: "perChannel", queue: { alpha: "collect" } },
};
const system = await AgentsSystem.start(settings, files);
afterAll(() => system[Symbol.asyncDispose]());
const alpha = await system.channel("alpha");
const { journal } = system;

const isIdle = (agent: string) =>
  system.until(() => waitingOf(journal, agent).length === 0 && system.state(agent).turn === null, `${agent} is idle`);
const turnsOf = (word: string) =>
  system
    .askedOf(`id: ${word}]`)
    .map(({ last }) => last)
    .filter((last) => !last.includes("Write the summary now"));

test.each(["two", "kept"] as const)(
  "messages that are too large together are answered in turns of their own (%s)",
  async (name) => {
    await isIdle(agents[name]);
    const turns = turnsOf(name);
    expect(turns).toHaveLength(2);
    expect(turns[0]).toMatch(/\]\nonex+$/);
    expect(turns[1]).toMatch(/\]\ntwox+$/);
    expect(alpha.replies.filter(({ channel }) => channel.channelId === name)).toEqual([]);
  },
);

test("a turn that an older version made too large, and that was stopped, ends", async () => {
  await isIdle(agents.stopped);
  expect(turnsOf("stopped")).toEqual([]);
});

test("a message that is too large alone is refused with its size and the limit, and the next one is answered", async () => {
  const told = await alpha.heard(/I couldn't answer \(config\): what was said is too long/);
  expect(told.channel).toMatchObject({ channelId: "alone" });
  expect(told.text).toMatch(/has 12\d{5} bytes as it is sent, and the bus takes at most 1047552 in one message/);
  await isIdle(agents.alone);
  const [turn, ...more] = turnsOf("alone");
  expect(turn).toMatch(/\]\nand this$/);
  expect(more).toEqual([]);
});

test("an agent whose state can't be read is told of, begins anew and answers; the file is put away once", async () => {
  await isIdle(agents.broken);
  const told = await alpha.heard(/What I knew of our conversation can't be read any more: it begins anew/);
  expect(told.channel).toMatchObject({ channelId: "broken" });
  expect(turnsOf("broken")).toEqual([expect.stringMatching(/\]\nwhat waits$/)]);
  const putAway = listQuarantine(journal).filter(({ record }) => record?.key.startsWith(`${agents.broken}:state`));
  expect(putAway).toHaveLength(1);
  expect(readFileSync(putAway[0]?.item ?? "", "utf8")).toContain('"act');
});

test("lines of an inbox that can't be read are put away, and what stands behind them is answered", async () => {
  await isIdle(agents.torn);
  expect(turnsOf("torn")).toEqual([expect.stringMatching(/\]\nwhat can be read$/)]);
  const putAway = listQuarantine(journal).filter(({ record }) => record?.key.startsWith(`${agents.torn}:inbox`));
  expect(putAway).toHaveLength(2);
  expect(readFileSync(join(journal, "agents", agents.torn, "inbox.jsonl"), "utf8")).not.toContain("no JSON");
  // Nothing of it is met again at the next start.
  await system.killAgents();
  expect(listQuarantine(journal).filter(({ record }) => record?.store === "agents")).toHaveLength(3);
});

test("a channel that the settings no longer have holds nothing up: a turn ends, a question is decided at the machine", async () => {
  await isIdle(orphan);
  await isIdle(asking);
  await keepQuestion(journal, question);
  await system.killAgents();
  const { permissions } = await system.command("permissions list");
  expect(permissions).toEqual([expect.objectContaining({ id: token, agent: asking })]);
  expect(readFileSync(join(journal, ".run/logs/agents.log"), "utf8")).not.toContain("waits for the bus");
});

test("an agent's content is shown however much it is", async () => {
  const { history, state } = await system.command("agents show", { agent_id: agents.two });
  expect(JSON.stringify(history).length).toBeGreaterThan(1000);
  expect(state).toBeDefined();
  expect(existsSync(join(journal, "agents"))).toBe(true);
  expect(readdirSync(join(journal, "agents")).length).toBeGreaterThan(5);
});
