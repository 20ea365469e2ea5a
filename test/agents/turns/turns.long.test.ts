/** The messages to an agent become turns, each a run of cortex, and stand in its files. */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { publishReceipt } from "../../../bus/agents/inbound.ts";
import { listQuarantine } from "../../../journal/quarantine/quarantine.ts";
import { endedFile } from "../../../journal/runs/run-files.ts";
import { AgentsSystem } from "../agents-system.ts";

// What waits is joined, so that fifty are few turns.
const settings = {
  agents: {
    join_window_ms: 0,
    owners: ["alpha:owner", "beta:owner"],
    binding: "perChannel",
    queue: { beta: "collect" },
  },
};
const system = await AgentsSystem.start(settings);
afterAll(() => system[Symbol.asyncDispose]());
const alpha = await system.channel("alpha");

const textsOf = (agent: string) =>
  system.history(agent).map((record) => ("text" in record ? `${record.type}: ${String(record.text)}` : record.type));

test.concurrent("messages are answered one turn after the other, in one conversation, and recorded", async () => {
  system.think("room-1", ({ last }) => ({ text: `I think of: ${last}` }));
  await alpha.say("one", { channelId: "room-1" });
  await alpha.say("two", { channelId: "room-1", replyTo: "t1" });
  const agent = await system.main("room-1");
  await system.turns(agent, 2);
  expect(textsOf(agent)).toEqual([
    "start",
    "user: [channel: alpha | id: room-1]\none",
    "assistant: I think of: [channel: alpha | id: room-1]\none",
    "user: [channel: alpha | id: room-1 | thread: t1]\ntwo",
    "assistant: I think of: [channel: alpha | id: room-1 | thread: t1]\ntwo",
  ]);
  const [first, second] = system.askedOf("room-1");
  expect(second?.said).toHaveLength(2);
  expect(second?.system).toBe(first?.system);
  expect(second?.system).toContain("INNER MONOLOGUE");
  expect(system.model.refusals).toEqual([]);
  // It called for no reply: nobody heard a word of it.
  expect(alpha.replies.filter(({ agent_id, channel }) => agent_id === agent || channel.channelId === "room-1")).toEqual(
    [],
  );
});

test.concurrent("text that begins with a slash and is no command is text", async () => {
  system.think("room-9", ({ said }) => ({ text: `${said.length}` }));
  const words = ["/etc/hosts", "/stop that", "/compact", "//"];
  const agent = await system.main("room-9");
  // Of those that are stored in one millisecond, and wait, one turn would be made.
  for (const [at, word] of words.entries()) {
    await alpha.say(word, { channelId: "room-9" });
    await system.turns(agent, at + 1);
  }
  expect(textsOf(agent)).toEqual([
    "start",
    ...words.flatMap((word, at) => [`user: [channel: alpha | id: room-9]\n${word}`, `assistant: ${at + 1}`]),
  ]);
});

test.concurrent("fifty first messages at once make one agent, and the same message counts once", async () => {
  const beta = await system.channel("beta");
  system.think("room-2", () => ({ text: "Yes." }));
  const texts = Array.from({ length: 50 }, (_, n) => `message ${n}`);
  const ids = await Promise.all(texts.map((text) => beta.say(text, { channelId: "room-2" })));
  for (const id of ids.slice(0, 5)) await beta.say("again", { channelId: "room-2", id });
  await beta.say("the last one", { channelId: "room-2" });
  const agent = await system.main("room-2", "beta");
  const said = () =>
    textsOf(agent)
      .filter((text) => text.startsWith("user: "))
      .join("\n");
  await system.until(() => said().endsWith("the last one"), "all were said", 120_000);
  expect(said().match(/message \d+/g)).toEqual(texts);
  expect(said()).not.toContain("again");
  const made = system.news.filter(({ event, agent_id }) => event === "created" && agent_id === agent);
  expect(made).toHaveLength(1);
});

test.concurrent("a reply goes exactly where the agent says, to any channel; its text is nobody's but its own", async () => {
  const beta = await system.channel("beta");
  system.think("room-3", ({ results }) =>
    results.length > 0
      ? { text: "Nobody hears this." }
      : {
          text: "I answer on both.",
          calls: [
            { tool: "reply", args: { text: "here", channelId: "room-3", replyTo: "t9" } },
            { tool: "reply", args: { text: "there", channelId: "elsewhere", channelType: "beta" } },
            { tool: "reply", args: { text: "lost" } },
            { tool: "reply", args: { text: "lost", channelId: "x", channelType: "nowhere" } },
          ],
        },
  );
  await alpha.say("Where?", { channelId: "room-3" });
  const [here, there] = [await alpha.heard("here"), await beta.heard("there")];
  expect(here.channel).toEqual({ type: "alpha", channelId: "room-3", replyTo: "t9" });
  expect(there.channel).toEqual({ type: "beta", channelId: "elsewhere" });
  const agent = await system.main("room-3");
  expect([here.agent_id, there.agent_id]).toEqual([agent, agent]);
  await system.turns(agent, 1);
  const { results } = system.askedOf("room-3")[1] ?? { results: [] };
  expect(results.map(({ isError }) => isError)).toEqual([false, false, true, true]);
  expect(JSON.parse(results[0]?.text ?? "{}")).toMatchObject({ queued: true });
  expect(results[2]?.text).toContain("channelId");
  expect(results[3]?.text).toContain('no channel "nowhere"');
  const spoken = [...alpha.replies, ...beta.replies].filter(({ agent_id }) => agent_id === agent);
  expect(spoken.map(({ text }) => text).toSorted()).toEqual(["here", "there"]);
});

test.concurrent("a message that isn't delivered is a silent notice, known at the next turn", async () => {
  const gamma = await system.channel("gamma");
  gamma.receipt = () => ({ ok: false, error: "blocked by the user" });
  system.think("room-4", ({ last, results }) =>
    results.length === 0 && last.includes("please")
      ? { calls: [{ tool: "reply", args: { text: "psst", channelId: "x", channelType: "gamma" } }] }
      : { text: "Hm." },
  );
  await alpha.say("please", { channelId: "room-4" });
  await gamma.heard("psst");
  const agent = await system.main("room-4");
  await system.turns(agent, 1);
  await system.until(() => textsOf(agent).some((text) => text.includes("blocked by the user")), "the notice is there");
  expect(system.askedOf("room-4")).toHaveLength(2);
  await alpha.say("and?", { channelId: "room-4" });
  await system.turns(agent, 2);
  expect(system.askedOf("room-4").at(-1)?.last).toMatch(
    /wasn't delivered \(blocked by the user\): "psst"[\s\S]*and\?$/,
  );
});

test.concurrent("a message that its service had accepted, and lost all the same, is a silent notice as well", async () => {
  system.think("room-lost", ({ last, results }) =>
    results.length === 0 && last.includes("please")
      ? { calls: [{ tool: "reply", args: { text: "soon lost", channelId: "x", channelType: "beta" } }] }
      : { text: "Hm." },
  );
  await alpha.say("please", { channelId: "room-lost" });
  const { id } = await (await system.channel("beta")).heard("soon lost");
  const agent = await system.main("room-lost");
  await system.turns(agent, 1);
  const outstanding = join(system.journal, ".state/outstanding-replies.jsonl");
  const settled = `{"settled":"${id}","is_delivered":true}`;
  await system.until(() => readFileSync(outstanding, "utf8").includes(settled), "its service has accepted it");
  const adapter = await system.as("channel-beta");
  for (const error of ["no such phone", "said again"])
    await publishReceipt(adapter, id, { ok: false, late: true, error });
  const told = 'This wasn\'t delivered after all (no such phone): "soon lost"';
  await system.until(() => textsOf(agent).some((text) => text.includes(told)), "the notice is there");
  expect(system.askedOf("room-lost")).toHaveLength(2);
});

test.concurrent("a turn that fails is said once, and the next message is answered", async () => {
  system.think("room-5", ({ last }) =>
    last.endsWith("break")
      ? { status: 400, body: { type: "error", error: { type: "invalid_request_error", message: "no such thing" } } }
      : { calls: [{ tool: "reply", args: { text: "fine", channelId: "room-5" } }] },
  );
  system.think("room-5b", ({ results }) => ({ text: String(results.length) }));
  await alpha.say("break", { channelId: "room-5" });
  const told = await alpha.heard(/I couldn't answer .*no such thing/);
  expect(told.channel).toMatchObject({ channelId: "room-5" });
  await alpha.say("go on", { channelId: "room-5" });
  await alpha.heard("fine");
  expect(alpha.replies.filter(({ text }) => text.includes("no such thing"))).toHaveLength(1);
});

test.concurrent("a message to an agent that there isn't is answered so, and begins no turn", async () => {
  const cli = await system.channel("cli");
  const here = { channelId: "main", userId: "me" };
  system.think("room-8", () => ({ calls: [{ tool: "reply", args: { text: "room-8 hears you", channelId: "main" } }] }));
  const nobody = "abcdefghijklmnopqrstuvwx";
  for (const agent of [nobody, "main\u202e", 7]) await cli.say("this is for nobody", { ...here, metadata: { agent } });
  await cli.heard(`There is no agent ${nobody}: see cortex agents list`);
  await cli.heard("There is no agent main: see cortex agents list");
  await cli.heard("There is no agent 7: see cortex agents list");
  // From anybody else it is not a word at all.
  await alpha.say("room-8", { channelId: "room-8", metadata: { agent: nobody } });
  await system.until(() => system.askedOf("room-8").length > 0, "that one is asked");
  await cli.say("room-8, are you there?", here);
  await cli.heard("room-8 hears you");
  expect(system.askedOf("this is for nobody")).toEqual([]);
  expect(cli.replies.filter(({ text }) => text.startsWith("There is no agent"))).toHaveLength(3);
});

test.concurrent("a stranger has an agent of its own, that hears nobody else's and reaches nowhere else", async () => {
  system.think("stranger-room", ({ results }) =>
    results.length > 0
      ? { text: "Well." }
      : {
          calls: [
            { tool: "reply", args: { text: "to you", channelId: "stranger-room" } },
            { tool: "reply", args: { text: "to others", channelId: "room-1" } },
            { tool: "reply", args: { text: "to others", channelId: "stranger-room", channelType: "beta" } },
            { tool: "memory_list", args: {} },
            { tool: "spawn_subagent", args: { description: "x", input: "x" } },
          ],
        },
  );
  await alpha.say("Who are you?", { channelId: "stranger-room", userId: "mallory" });
  await alpha.heard("to you");
  const agent = await system.agentOf({ type: "alpha", channelId: "stranger-room", userId: "mallory" });
  await system.turns(agent, 1);
  const [first, second] = system.askedOf("stranger-room");
  expect(first?.tools.toSorted()).toEqual(["current_time", "reply"]);
  expect(second?.results.map(({ isError }) => isError)).toEqual([false, true, true, true, true]);
  expect(first?.system).toContain("isn't your owner");
  expect(first?.system).not.toContain("memory_write");
  const other = await system.agentOf({ type: "alpha", channelId: "stranger-room", userId: "eve" });
  expect(other).not.toBe(agent);
});

test.concurrent("no word within 30 s is unknown: told silently, once, and not sent again", async () => {
  const usual = alpha.receipt;
  alpha.receipt = (message) => (message.text === "into the void" ? null : usual(message));
  system.think("room-6", ({ results }) =>
    results.length > 0
      ? { text: "Sent." }
      : { calls: [{ tool: "reply", args: { text: "into the void", channelId: "room-6" } }] },
  );
  await alpha.say("Anybody?", { channelId: "room-6" });
  await alpha.heard("into the void");
  const agent = await system.main("room-6");
  const told = () => textsOf(agent).filter((text) => text.includes("hasn't said within 30 s"));
  await system.until(() => told().length === 1, "it is told");
  expect(alpha.replies.filter(({ text }) => text === "into the void")).toHaveLength(1);
  expect(system.askedOf("room-6")).toHaveLength(2);
});

test.concurrent("a conversation whose runs are gone goes on: its history has it", async () => {
  system.think("room-7", () => ({ text: "Yes." }));
  await alpha.say("one", { channelId: "room-7" });
  const agent = await system.main("room-7");
  await system.turns(agent, 1);
  const { last_run: run = "" } = system.state(agent);
  rmSync(endedFile(system.journal, run));
  await alpha.say("two", { channelId: "room-7" });
  await system.turns(agent, 2);
  expect(system.askedOf("room-7").at(-1)?.said).toEqual([
    expect.stringMatching(/one$/),
    expect.stringMatching(/^\[channel: alpha[^\n]*\ntwo$/),
  ]);
});

test.concurrent("an agent that can't be read disturbs no other", async () => {
  const { writeFileSync } = await import("node:fs");
  await using own = await AgentsSystem.start();
  own.think("spoilt", () => ({ text: "x" }));
  own.think("sound", ({ results }) =>
    results.length > 0
      ? { text: "." }
      : { calls: [{ tool: "reply", args: { text: "I am here", channelId: "sound" } }] },
  );
  const channel = await own.channel("alpha");
  await channel.say("hello", { channelId: "spoilt" });
  const spoilt = await own.main("spoilt");
  await own.turns(spoilt, 1);
  writeFileSync(join(own.journal, "agents", spoilt, "state.json"), "{");
  await own.killAgents();
  await channel.say("hello", { channelId: "sound" });
  await channel.heard("I am here");
  await channel.say("hello again", { channelId: "spoilt" });
  await own.turns(spoilt, 2);
  // Its state was made anew, and what couldn't be read is kept.
  const [kept] = listQuarantine(own.journal);
  expect(readFileSync(kept?.item ?? "", "utf8")).toBe("{");
});
