/**
 * `agents stop` and `agents reset` in each state of an agent: idle, waiting for more of a message, refused by cortex,
 * summarising, at work, asking a cortex that is away. What they say they did, they did.
 */
import { afterAll, expect, test } from "vitest";
import { descriptorOf } from "../../../agents/record/agent-id.ts";
import type { InboxItem } from "../../../protocol/agents/agent-files.ts";
import { signalIfThere } from "../../support/journal-processes.ts";
import { AgentsSystem } from "../agents-system.ts";

const actions = ["stop", "reset"] as const;
type Action = (typeof actions)[number];

const agents = { owners: ["alpha:owner"], binding: "perChannel" };

/** An agent with something that waits since long ago: no window holds it up. */
function waitingSince(channelId: string, ts: number): [id: string, files: Record<string, string>] {
  const descriptor = descriptorOf({ kind: "main", connector: "alpha", channelId }, ts);
  const channel = { type: "alpha", channelId, userId: "owner" };
  const item: InboxItem = { id: `alpha:${channelId}`, ts, type: "user", text: "what waits", channel };
  const state = {
    lifecycle: "active",
    provider: {},
    permissions: [],
    created: ts,
    updated: ts,
    context_tokens: 0,
    has_memory_index: false,
    turn: null,
  };
  const folder = `agents/${descriptor.id}`;
  return [
    descriptor.id,
    {
      [`${folder}/descriptor.json`]: JSON.stringify(descriptor),
      [`${folder}/state.json`]: JSON.stringify(state),
      [`${folder}/inbox.jsonl`]: `${JSON.stringify(item)}\n`,
    },
  ];
}

const refusedAgents = actions.map((action) => waitingSince(`refused-${action}`, Date.now() - 3_600_000));
// Here a message waits for more of it, and cortex has no room for any run.
const full = await AgentsSystem.start(
  { agents: { ...agents, join_window_ms: 60_000 }, min_free_bytes: 1e15 },
  Object.assign({}, ...refusedAgents.map(([, files]) => files)),
);
afterAll(() => full[Symbol.asyncDispose]());

// Here a conversation is compacted before a long message.
const small = { context_window: 2000, emergency_context_limit: 1_000_000 };
const system = await AgentsSystem.start({ agents: { ...agents, join_window_ms: 0, ...small } });
afterAll(() => system[Symbol.asyncDispose]());
const alpha = await system.channel("alpha");

const rowOf = async (here: AgentsSystem, id: string) =>
  (await here.command("agents show", { agent_id: id }))["agent"] as { state: string; waiting: number };
const ends = (here: AgentsSystem, agent: string) =>
  here.news.filter(({ event, agent_id }) => event === "turn_ended" && agent_id === agent);
/** The same, once there are so many: news and the answer to a command come on connections of their own. */
async function endsOnce(here: AgentsSystem, agent: string, count: number) {
  await here.turns(agent, count);
  return ends(here, agent);
}

/** Carries it out. Afterwards the agent is idle, and nothing of what it did or was about to do comes. */
async function actOn(here: AgentsSystem, action: Action, agent: string, expected: { stopped: boolean }) {
  const done = await here.command(`agents ${action}`, { agent_id: agent });
  expect(done).toEqual(action === "stop" ? expected : { agent_id: agent });
  for (;;) {
    const { state, waiting } = await rowOf(here, agent);
    if (state === "idle" && waiting === 0) break;
    await here.told(agent, "turn_ended");
  }
  if (action === "reset") expect(here.history(agent).some(({ type }) => type === "reset")).toBe(true);
}

for (const action of actions) {
  test(`${action}: idle`, async () => {
    const room = `idle-${action}`;
    await alpha.say("one", { channelId: room });
    const agent = await system.main(room);
    await system.turns(agent, 1);
    await actOn(system, action, agent, { stopped: false });
    expect(ends(system, agent)).toHaveLength(1);
  });

  test(`${action}: waiting for more of a message`, async () => {
    const room = `window-${action}`;
    const channel = await full.channel("alpha");
    const id = await channel.say("one", { channelId: room });
    const agent = await full.main(room);
    await full.told(agent, "message");
    expect(await rowOf(full, agent)).toMatchObject({ state: "waiting", waiting: 1 });
    await actOn(full, action, agent, { stopped: true });
    if (action === "stop")
      expect(await endsOnce(full, agent, 1)).toMatchObject([
        { ok: false, reason: "cancelled", items: [`alpha:${id}`] },
      ]);
    expect(channel.replies.filter((reply) => reply.channel.channelId === room)).toEqual([]);
  });

  test(`${action}: refused by cortex for now`, async () => {
    const [agent = ""] = refusedAgents[actions.indexOf(action)] ?? [];
    await full.until(() => full.state(agent).turn, "a turn has begun");
    await actOn(full, action, agent, { stopped: true });
    expect(await endsOnce(full, agent, 1)).toMatchObject([{ ok: false, reason: "cancelled" }]);
    expect(full.asked).toEqual([]);
  });

  test(`${action}: summarising`, async () => {
    const room = `long-${action}`;
    const never = Promise.withResolvers<never>();
    system.think(room, ({ last }) => (last.includes("Write the summary now") ? never.promise : { text: "Yes." }));
    await alpha.say("one", { channelId: room });
    const agent = await system.main(room);
    await system.turns(agent, 1);
    const id = await alpha.say(`${"lorem ".repeat(1500)}two`, { channelId: room });
    const isSummary = () => system.askedOf(room).some(({ last }) => last.includes("Write the summary now"));
    await system.until(isSummary, "it summarises");
    await actOn(system, action, agent, { stopped: true });
    expect(system.askedOf(room).some(({ last }) => last.endsWith("two"))).toBe(false);
    if (action === "stop")
      expect((await endsOnce(system, agent, 2))[1]).toMatchObject({ ok: false, items: [`alpha:${id}`] });
    // It isn't busy any more.
    system.think(room, () => ({ calls: [{ tool: "reply", args: { text: `back ${room}`, channelId: room } }] }));
    await alpha.say("three", { channelId: room });
    await alpha.heard(`back ${room}`);
    await system.command("agents stop", { agent_id: agent });
  });

  test(`${action}: at work`, async () => {
    const room = `work-${action}`;
    const never = Promise.withResolvers<never>();
    system.think(room, () => never.promise);
    await alpha.say("one", { channelId: room });
    await system.until(() => system.askedOf(room).length > 0, "it is at work");
    const agent = await system.main(room);
    await actOn(system, action, agent, { stopped: true });
    expect(await endsOnce(system, agent, 1)).toMatchObject([{ ok: false, reason: "cancelled" }]);
  });

  test(`${action}: asking a cortex that is away`, async () => {
    const room = `away-${action}`;
    const cortex = system.pidOf("cortex");
    process.kill(cortex, "SIGSTOP");
    try {
      await alpha.say("one", { channelId: room });
      const agent = await system.main(room);
      await system.until(
        () => system.news.some((one) => one.event === "turn_started" && one.agent_id === agent),
        "asked",
      );
      expect(await system.command(`agents ${action}`, { agent_id: agent })).toBeDefined();
      // It is there again, or has been replaced meanwhile.
      signalIfThere(cortex, "SIGCONT");
      await system.turns(agent, 1);
      expect(ends(system, agent)).toMatchObject([{ ok: false, reason: "cancelled" }]);
      expect(system.state(agent).turn).toBe(null);
    } finally {
      signalIfThere(cortex, "SIGCONT");
    }
  });
}
