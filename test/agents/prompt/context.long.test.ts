/** The prompt of an agent at each call, and the compaction of a conversation that has grown too large. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { userMessage } from "../../../conversation/system-message.ts";
import { estimateTokens } from "../../../conversation/tokens.ts";
import { loadPersonas } from "../../../personas/load.ts";
import { markedPrefixes } from "../../support/providers/anthropic-rules.ts";
import { playedUsage } from "../../support/providers/played.ts";
import { AgentsSystem } from "../agents-system.ts";

// A turn of the played model says that it used 130 tokens: so a conversation soon is as large as these limits.
const window = 3000;
const system = await AgentsSystem.start(
  {
    agents: {
      join_window_ms: 0,
      owners: ["alpha:owner", "beta:owner"],
      binding: "perChannel",
      context_window: window,
      emergency_context_limit: 4000,
    },
  },
  {
    "skills/bees/SKILL.md": "---\ndescription: How to keep bees.\n---\nSlowly.\n",
    "skills/wasps/SKILL.md": "---\ndescription: Of wasps.\ndisable-model-invocation: true\n---\nNo.\n",
  },
);
afterAll(() => system[Symbol.asyncDispose]());
const alpha = await system.channel("alpha");
const long = (word: string, tokens: number) => `${word} ${"lorem ipsum ".repeat(tokens / 2)}`;

test("the system prompt is the same, byte by byte, over turns, agents and a restart, and the provider has it cached", async () => {
  const names = ["same-1", "same-2"];
  for (const name of names) system.think(name, () => ({ text: "Yes." }));
  for (const text of ["one", "two"])
    for (const channelId of names) {
      await alpha.say(text, { channelId });
      await system.turns(await system.main(channelId), text === "one" ? 1 : 2);
    }
  await system.killAgents();
  await alpha.say("three", { channelId: "same-1" });
  await system.turns(await system.main("same-1"), 3);
  const asked = names.flatMap((name) => system.askedOf(name));
  expect(new Set(asked.map((one) => one.system)).size).toBe(1);
  expect(new Set(asked.map(({ tools }) => tools.join())).size).toBe(1);
  const [first, second, third] = system.askedOf("same-1").map(({ body }) => markedPrefixes(body).prefixes);
  expect(second?.at(-2)).toBe(first?.at(-1));
  expect(third?.at(-2)).toBe(second?.at(-1));
});

test("the system prompt says who it is, what it may, how it speaks, and which skills it may use", async () => {
  system.think("self-1", () => ({ text: "Yes." }));
  await alpha.say("who are you?", { channelId: "self-1" });
  await system.turns(await system.main("self-1"), 1);
  const text = system.askedOf("self-1")[0]?.system ?? "";
  expect(text.split("\n").filter((line) => line.startsWith("## "))).toEqual([
    "## Safety",
    "## How you think",
    "## Reply or delegate",
    "## Channels and reply()",
    "## Memory",
    "## Your history",
    "## Skills",
  ]);
  const main = loadPersonas(system.journal).personas.get("main");
  const { identity } = main?.settings ?? {};
  const { name, role, personality, style, values } = identity as Record<string, string>;
  const self = `You are ${name}, ${role}.\nPersonality: ${personality}\nSpeaking style: ${style}\nCore values: ${values}\n\n`;
  expect(text.startsWith(`${self}${main?.instruction}\n\n## Safety`)).toBe(true);
  expect(text).toContain("\n- telegram: a messenger. Short");
  expect(text).toContain("\n- alpha: ");
  expect(text).toContain("\n- bees: How to keep bees.");
  expect(text).not.toContain("wasps");
});

test("the memory's index is given once, at the beginning of a conversation", async () => {
  mkdirSync(join(system.journal, "memory/people"), { recursive: true });
  writeFileSync(join(system.journal, "memory/people/nora.md"), "> Summary: Nora keeps bees.\n\nMuch more.\n");
  system.think("mem-1", () => ({ text: "Yes." }));
  await alpha.say("one", { channelId: "mem-1" });
  await alpha.say("two", { channelId: "mem-1" });
  await system.turns(await system.main("mem-1"), 2);
  const [first, second] = system.askedOf("mem-1");
  const told = (text: string) => text.split("Nora keeps bees").length - 1;
  expect(told(first?.said.join() ?? "")).toBe(1);
  expect(first?.said[0]).toMatch(
    /^<system_message origin="memory">[\s\S]*people\/nora\.md: Nora keeps bees\.[\s\S]*one$/,
  );
  expect(told(second?.said.join() ?? "")).toBe(1);
  expect(first?.system).not.toContain("Nora");
});

test("a large conversation goes on from a summary, before the call; all of it is in the archive", async () => {
  system.think("grow-1", ({ last, said }) => {
    if (last.includes("Write the summary now")) return { text: "Summary: they spoke of bees." };
    return said.at(-1)?.includes("call") ? { calls: [{ tool: "current_time", args: {} }] } : { text: "Yes." };
  });
  await alpha.say(long("grow-1 one", 1400), { channelId: "grow-1" });
  const agent = await system.main("grow-1");
  await system.turns(agent, 1);
  await alpha.say(long("two", 1400), { channelId: "grow-1" });
  await system.turns(agent, 2);
  // The model says how large it is: as small as ever. What it says counts, and what was added since.
  expect(readdirSync(join(system.journal, "agents", agent))).not.toContain("archive");
  await alpha.say(long("three", 3000), { channelId: "grow-1" });
  await system.turns(agent, 3);
  const [archive = ""] = readdirSync(join(system.journal, "agents", agent, "archive"));
  expect(archive).toMatch(/^\d{4}-\d{2}-\d{2}-\d{9}-1\.jsonl$/);
  const [first, ...rest] = system.history(agent);
  expect(first).toMatchObject({ type: "compact", archive, summary: "Summary: they spoke of bees." });
  expect(rest.map(({ type }) => type)).toEqual(["user", "assistant"]);
  expect(readFileSync(join(system.journal, "agents", agent, "archive", archive), "utf8")).toContain("grow-1 one");
  const asked = system.askedOf("grow-1");
  const summary = asked.find(({ last }) => last.includes("Write the summary now"));
  expect(summary?.tools).toEqual([]);
  // It was larger than what the model takes: what is asked isn't, and leaves room for the answer.
  expect(estimateTokens([{ role: "user", text: `${summary?.system}${summary?.last}` }])).toBeLessThan(0.9 * window);
  expect(summary?.last.indexOf("</conversation>")).toBeLessThan(summary?.last.indexOf("Write the summary now") ?? 0);
  const after = system.asked.find(({ said }) => said.join().includes("they spoke of bees") && said.length === 1);
  expect(after?.said[0]).toMatch(
    new RegExp(`^<system_message origin="history">Summary: they spoke of bees[\\s\\S]*${archive}[\\s\\S]*three`),
  );
});

test("a summary that can't be had, or doesn't shrink, is tried twice, and loses nothing", async () => {
  system.think("stuck-1", ({ last }) =>
    last.includes("Write the summary now") ? { text: last.slice(0, 12_000) } : { text: "Yes." },
  );
  await alpha.say("stuck-1", { channelId: "stuck-1" });
  const agent = await system.main("stuck-1");
  await system.turns(agent, 1);
  await alpha.say(long("two", 3200), { channelId: "stuck-1" });
  await system.turns(agent, 2);
  const asked = system.askedOf("stuck-1");
  expect(asked.filter(({ last }) => last.includes("Write the summary now"))).toHaveLength(2);
  expect(asked.at(-1)?.said.join()).toContain("two lorem");
  expect(asked.at(-1)?.said[0]).toContain("stuck-1");
  expect(system.history(agent).map(({ type }) => type)).toEqual([
    "start",
    "user",
    "assistant",
    "system",
    "user",
    "assistant",
  ]);
  await alpha.say("three", { channelId: "stuck-1" });
  await system.turns(agent, 3);
  expect(system.askedOf("stuck-1").at(-1)?.last).toContain("couldn't be summarised");
});

test("a conversation that can't be summarised begins anew only beyond the emergency limit, and that is said", async () => {
  system.think("burst-1", ({ last }) =>
    last.includes("Write the summary now")
      ? { status: 400, body: { type: "error", error: { type: "invalid_request_error", message: "no" } } }
      : { text: "Yes." },
  );
  await alpha.say("burst-1", { channelId: "burst-1" });
  const agent = await system.main("burst-1");
  await system.turns(agent, 1);
  await alpha.say(long("burst-1 two", 4600), { channelId: "burst-1" });
  await alpha.heard(/begins anew/);
  expect(await system.told(agent, "compacted")).toMatchObject({ ok: false });
  expect(await system.told(agent, "reset")).toMatchObject({ reason: "emergency" });
  await system.turns(agent, 2);
  expect(system.history(agent).map(({ type }) => type)).toEqual([
    "start",
    "user",
    "assistant",
    "reset",
    "user",
    "assistant",
  ]);
  expect(system.askedOf("burst-1").at(-1)?.said).toHaveLength(1);
});

test("a conversation one token below the emergency limit loses nothing, and at the limit it begins anew", async () => {
  const [limit, after] = [4000, playedUsage.input + playedUsage.output];
  for (const [room, tokens] of [
    ["edge-below", limit - 1],
    ["edge-at", limit],
  ] as const) {
    system.think(room, ({ last }) =>
      last.includes("Write the summary now")
        ? { status: 400, body: { type: "error", error: { type: "invalid_request_error", message: "no" } } }
        : { text: "Yes." },
    );
    await alpha.say(room, { channelId: room });
    const agent = await system.main(room);
    await system.turns(agent, 1);
    expect(system.state(agent).context_tokens).toBe(after);
    const sizeOf = (text: string) =>
      estimateTokens([{ role: "user", text: userMessage({ type: "alpha", channelId: room }, text) }]);
    let text = "x".repeat(4 * (tokens - after - sizeOf("")));
    while (sizeOf(text) < tokens - after) text += "x";
    expect(after + sizeOf(text)).toBe(tokens);
    await alpha.say(text, { channelId: room });
    await system.turns(agent, 2);
    expect(system.askedOf(room).filter(({ last }) => last.includes("Write the summary now"))).toHaveLength(2);
    const isReset = system.history(agent).some(({ type }) => type === "reset");
    expect([room, isReset]).toEqual([room, tokens >= limit]);
    expect(system.askedOf("xxxx").at(-1)?.said).toHaveLength(isReset ? 1 : 2);
  }
});

test("a conversation is summarised or begun anew by command, and keeps its id", async () => {
  system.think("by-hand", ({ last }) =>
    last.includes("Write the summary now") ? { text: "Short." } : { text: "Yes, ".repeat(300) },
  );
  await alpha.say("by-hand", { channelId: "by-hand" });
  const agent = await system.main("by-hand");
  await system.turns(agent, 1);
  await system.command("agents compact", { agent_id: agent.slice(0, 10) });
  expect(system.history(agent).map(({ type }) => type)).toEqual(["compact"]);
  expect(await system.told(agent, "compacted")).toMatchObject({ ok: true, tokens_after: expect.any(Number) });
  await system.command("agents reset", { agent_id: agent });
  expect(await system.told(agent, "reset")).toMatchObject({ reason: "asked" });
  await alpha.say("by-hand again", { channelId: "by-hand" });
  await system.turns(agent, 2);
  expect(system.askedOf("by-hand again").at(-1)?.said).toHaveLength(1);
  expect(await system.main("by-hand")).toBe(agent);
  expect(system.history(agent).map(({ type }) => type)).toEqual(["compact", "reset", "user", "assistant"]);
});
