/** Prompts to a long-lived agent that none of its turns hears: they end, and say why. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { startAcp } from "./acp-system.ts";
import { Editor } from "./editor.ts";

const { system, journal, project, ...running } = await startAcp();
const editor = await Editor.start(journal);
afterAll(async () => {
  await editor[Symbol.asyncDispose]();
  await running[Symbol.asyncDispose]();
});

const { agent_id: agent } = await system.command("agents find", { channel: { type: "cli", channelId: "main" } });
const reset = () => system.command("agents reset", { agent_id: agent });

/** A conversation has the words of all its messages: each test begins anew. */
beforeEach(async () => {
  const { agents } = await system.command("agents list");
  if ((agents as { agent_id: string }[]).some(({ agent_id }) => agent_id === agent)) await reset();
});

async function agentSession(): Promise<string> {
  const id = await editor.newSession(project);
  await editor.choose(id, "mode", "agent/main");
  return id;
}

test("a message that can't be taken in ends its prompt, with where it is now", async () => {
  // Something else stands where the agent's folder would be made.
  mkdirSync(join(journal, "agents"), { recursive: true });
  const inTheWay = join(journal, "agents", String(agent));
  writeFileSync(inTheWay, "no folder");
  const id = await agentSession();
  await expect(editor.prompt(id, "Is anybody there?")).rejects.toMatchObject({
    message: expect.stringMatching(/put away.*cortex quarantine/),
    data: { reason: "internal" },
  });
  rmSync(inTheWay);
  system.think("anybody", () => ({ text: "." }));
  expect(await editor.prompt(id, "Is anybody there now?")).toMatchObject({ stopReason: "end_turn" });
});

/** A turn that goes on until it is let, and a message of another session that waits behind it. */
async function waitingBehind(word: string) {
  const go = Promise.withResolvers<{ text: string }>();
  system.think(word, () => go.promise);
  const [busy, waits] = [await agentSession(), await agentSession()];
  const first = editor.prompt(busy, `What of the ${word}?`);
  await editor.until(() => system.askedOf(word).length > 0, "the agent thinks");
  const second = editor.prompt(waits, "And the sloe?");
  const waiting = async () => {
    const { waiting: items } = await system.command("agents show", { agent_id: agent });
    return (items as { id: string; text: string }[]).find(({ text }) => text === "And the sloe?")?.id;
  };
  const item = await system.until(waiting, "the message waits");
  return { item, waits, first, second, go: () => go.resolve({ text: "." }) };
}

test("a message that is taken back elsewhere ends its prompt, and the turn before it goes on", async () => {
  const { item, first, second, go } = await waitingBehind("barberry");
  const ended = expect(second).rejects.toMatchObject({
    message: expect.stringContaining("taken back"),
    data: { reason: "cancelled" },
  });
  await system.command("agents take-back", { agent_id: agent, item });
  await ended;
  go();
  expect(await first).toMatchObject({ stopReason: "end_turn" });
  expect(system.askedOf("sloe")).toEqual([]);
});

test("a conversation that begins anew ends the prompts that wait, and stops the turn", async () => {
  const { first, second, go } = await waitingBehind("bilberry");
  const ended = expect(second).rejects.toMatchObject({ message: expect.stringContaining("began anew") });
  await reset();
  await ended;
  expect(await first).toMatchObject({ stopReason: "cancelled" });
  go();
});

test("session/cancel takes back a message that waits, and the turn before it goes on", async () => {
  const { waits, first, second, go } = await waitingBehind("blackthorn");
  await editor.cancel(waits);
  expect(await second).toMatchObject({ stopReason: "cancelled" });
  go();
  expect(await first).toMatchObject({ stopReason: "end_turn" });
  expect(system.askedOf("sloe")).toEqual([]);
});
