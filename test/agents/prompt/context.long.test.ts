/** The system prompt of an agent, and the index of its memory, at each call. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { loadPersonas } from "../../../personas/load.ts";
import { markedPrefixes } from "../../support/providers/anthropic-rules.ts";
import { AgentsSystem } from "../agents-system.ts";

const system = await AgentsSystem.start(
  {
    agents: {
      join_window_ms: 0,
      owners: ["alpha:owner", "beta:owner"],
      binding: "perChannel",
    },
  },
  {
    "skills/bees/SKILL.md": "---\ndescription: How to keep bees.\n---\nSlowly.\n",
    "skills/wasps/SKILL.md": "---\ndescription: Of wasps.\ndisable-model-invocation: true\n---\nNo.\n",
  },
);
afterAll(() => system[Symbol.asyncDispose]());
const alpha = await system.channel("alpha");

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
  expect(text).toContain("\n- cli: a terminal.");
  // What isn't set up isn't told of.
  expect(text).not.toContain("\n- telegram: ");
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
