/** The rooms that an agent is told of: those of people who are known, and none of a stranger's. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { AgentsSystem } from "../agents-system.ts";

const system = await AgentsSystem.start({
  channels: { web: { enabled: false }, alpha: { external: true }, beta: { external: true, allow: ["ada"] } },
  agents: { join_window_ms: 0, owners: ["alpha:owner"], binding: "shared" },
});
afterAll(() => system[Symbol.asyncDispose]());

test("an agent is told of the rooms in which owners and allowed people have written, after a restart as well", async () => {
  const [alpha, beta] = [await system.channel("alpha"), await system.channel("beta")];
  system.think("fern", () => ({ text: "Well." }));
  await beta.say("fern of a stranger", { channelId: "dark", userId: "mallory" });
  await beta.say("fern of Ada", { channelId: "quay", userId: "ada" });
  await system.until(() => system.askedOf("fern of").length >= 2, "both are answered");
  const promptAfter = async (text: string) => {
    await alpha.say(text, { channelId: "harbor", userId: "owner" });
    return (await system.until(() => system.askedOf(text)[0], text)).system;
  };
  const first = await promptAfter("fern in the harbor");
  expect(first).toContain("- channelType alpha, channelId harbor\n- channelType beta, channelId quay");
  expect(first).not.toContain("channelId dark");
  for (const { system: prompt } of system.askedOf("fern of")) expect(prompt).not.toContain("in these rooms");
  await system.killAgents();
  expect(await promptAfter("fern again")).toBe(first);
});

test("a message is answered where its room can't be noted", async () => {
  const file = join(system.journal, ".state/channels/known-rooms.json");
  rmSync(file);
  mkdirSync(file);
  const alpha = await system.channel("alpha");
  await alpha.say("fern in the mill", { channelId: "mill", userId: "owner" });
  await system.until(() => system.askedOf("fern in the mill").length > 0, "it is answered");
});
