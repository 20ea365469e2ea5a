/** The people who may speak to the main agent: owners, each known once by a code. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { InboundIntake, type IntakeDeps } from "../../../agents/intake.ts";
import { Owners } from "../../../agents/inbox/owners.ts";
import type { InboundMessage } from "../../../protocol/agents/channel.ts";
import { runCortex } from "../../scripts/run-command.ts";
import { AgentsSystem } from "../agents-system.ts";

const system = await AgentsSystem.start();
afterAll(() => system[Symbol.asyncDispose]());
const alpha = await system.channel("alpha");
const known = "You are known here now, as an owner.";

const offered = async () => (await runCortex(system.journal, ["pair"])).stdout;
const agentOf = (channelId: string, userId: string) => system.agentOf({ type: "alpha", channelId, userId });
const heardIn = (channelId: string) => alpha.replies.filter(({ channel }) => channel.channelId === channelId);

/** Waits until an agent has heard this from its user. */
const took = (agent: string, text: string) =>
  system.until(() => system.askedOf(text).some(({ last }) => last.endsWith(text)), `${agent} heard ${text}`);

test("a code makes its sender an owner, once, and for good", async () => {
  const before = await agentOf("gate-1", "carol");
  await alpha.say("gate-1 hello", { channelId: "gate-1", userId: "carol" });
  await system.turns(before, 1);
  expect(system.askedOf("gate-1 hello")[0]?.tools.toSorted()).toEqual(["current_time", "reply"]);

  const code = await offered();
  await alpha.say(` ${code.toLowerCase()}\n`, { channelId: "gate-1", userId: "carol" });
  expect((await alpha.heard(known)).channel).toMatchObject({ channelId: "gate-1" });
  const after = await agentOf("gate-1", "carol");
  expect(after).toBe(await system.main("gate-1"));
  expect(after).not.toBe(before);
  await alpha.say("gate-1 and now", { channelId: "gate-1", userId: "carol" });
  await took(after, "gate-1 and now");
  expect(system.askedOf("gate-1 and now")[0]?.tools).toContain("spawn_subagent");
  expect(system.askedOf("gate-1 and now")[0]?.said.join()).not.toContain("gate-1 hello");

  await alpha.say(code, { channelId: "gate-1e", userId: "eve" });
  await system.turns(await agentOf("gate-1e", "eve"), 1);
  expect(heardIn("gate-1e")).toEqual([]);
  await system.killAgents();
  expect(await agentOf("gate-1", "carol")).toBe(after);
  expect(await agentOf("gate-1", "eve")).not.toBe(after);
  // The code is nobody's business any more: neither agent was told it.
  expect(
    system
      .askedOf("gate-1")
      .flatMap(({ said }) => said)
      .join(),
  ).not.toContain(code.toLowerCase());
});

test("a sender with a code becomes an owner when the code is given at the machine", async () => {
  const channel = { channelId: "gate-2", userId: "frank" };
  await alpha.say("pair me", { ...channel, metadata: { command: "pair" } });
  const { text } = await alpha.heard(/type on the machine: cortex pair /);
  const code = /cortex pair (\w{8})$/.exec(text)?.[1] ?? "";
  // What was shown to him is not an offer: said on a channel it is only a text.
  await alpha.say(code, channel);
  await system.turns(await agentOf("gate-2", "frank"), 1);
  expect(await agentOf("gate-2", "frank")).not.toBe(await system.main("gate-2"));
  expect(await runCortex(system.journal, ["pair", "AAAAAAAA"])).toMatchObject({ code: 3 });
  expect(await runCortex(system.journal, ["pair", code])).toMatchObject({
    code: 0,
    stdout: "alpha:frank is an owner now",
  });
  expect(await agentOf("gate-2", "frank")).toBe(await system.main("gate-2"));
  expect(await runCortex(system.journal, ["pair", code])).toMatchObject({ code: 3 });
});

test("wrong codes are bounded: after five the right one counts no more, until there is a new one", async () => {
  const code = await offered();
  const wrong = ["A", "B", "C", "D", "E"].map((letter) => letter.repeat(8)).filter((one) => one !== code);
  const channel = { channelId: "gate-3", userId: "dave" };
  for (const text of [...wrong, code]) await alpha.say(text, channel);
  const agent = await agentOf("gate-3", "dave");
  await took(agent, code);
  expect(heardIn("gate-3")).toEqual([]);
  expect(agent).not.toBe(await system.main("gate-3"));
  await alpha.say(await offered(), channel);
  await system.until(() => heardIn("gate-3").some(({ text }) => text === known), "he is known");
});

test("nobody is an owner where the channel doesn't say who it was", async () => {
  const nobody = { channelId: "owner", userId: undefined } as unknown as { channelId: string };
  await alpha.say("gate-4 hello", nobody);
  const agent = await system.agentOf({ type: "alpha", channelId: "owner" });
  await system.turns(agent, 1);
  expect(agent).not.toBe(await system.main("owner"));
  expect(system.askedOf("gate-4 hello")[0]?.tools).not.toContain("spawn_subagent");
  const code = await offered();
  await alpha.say(code, nobody);
  await took(agent, code);
  await alpha.say("pair me", { ...nobody, metadata: { command: "pair" } });
  await alpha.heard(/doesn't say who you are/);
});

test("a code runs out", async () => {
  const journal = mkdtempSync(join(tmpdir(), "cortex-owners-"));
  let now = 1_000_000;
  const owners = new Owners(
    journal,
    () => ({}),
    () => now,
  );
  const [early, late, asked] = [owners.offerCode(), owners.offerCode(), owners.codeFor("alpha:x")];
  now += 10 * 60_000 - 1;
  expect(await owners.redeemCode(early, "alpha:a")).toBe(true);
  now += 1;
  expect(await owners.redeemCode(late, "alpha:b")).toBe(false);
  expect(await owners.confirmCode(asked)).toBe(null);
  expect([...owners.all]).toEqual(["alpha:a"]);
  rmSync(journal, { recursive: true });
});

const unknown = (type: string, id: string): InboundMessage => ({
  id,
  text: "gate-5 let me in",
  channel: { type, channelId: "gate-5", userId: "owner" },
});

test("a channel that nobody has declared has no place where its messages could be stored: its sender hears it", async () => {
  const bus = await system.as("schedule");
  const told = bus.js.publish("channel.in.omega", JSON.stringify(unknown("omega", "a")), { timeout: 2000 });
  await expect(told).rejects.toThrow();
  expect(system.askedOf("let me in")).toEqual([]);
});

test("a stranger is noticed again after ten minutes", async () => {
  let now = 0;
  const noticed: [string, number][] = [];
  const log = { warn: ({ channel }: InboundMessage) => noticed.push([channel.type, now]) };
  const intake = new InboundIntake({ settings: () => ({}), log } as unknown as IntakeDeps, () => now);
  for (now of [0, 1, 599_999, 600_000, 600_001])
    for (const type of ["omega", "sigma"])
      await intake.acceptInbound({ kind: "message", message: unknown(type, "x") }, now);
  expect(noticed).toEqual([
    ["omega", 0],
    ["sigma", 0],
    ["omega", 600_000],
    ["sigma", 600_000],
  ]);
});
