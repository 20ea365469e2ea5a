/** Long-lived agents in an editor, and two agents at once in one process. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { methods } from "@agentclientprotocol/sdk";
import { afterAll, beforeEach, expect, test } from "vitest";
import { readSession } from "../../journal/editor-sessions/session-store.ts";
import { findEvent } from "../../journal/runs/read-run.ts";
import { maxMessageText } from "../../protocol/agents/channel.ts";
import { runCortex } from "../scripts/run-command.ts";
import type { Mind } from "../agents/agents-system.ts";
import { startAcp } from "./acp-system.ts";
import { Editor, isSilent, picks } from "./editor.ts";

const { system, journal, project, ...running } = await startAcp({
  permissions: [{ tool: "memory_write", decide: "ask" }],
});
const editor = await Editor.start(journal, { args: ["-p", "player"] });
afterAll(async () => {
  await editor[Symbol.asyncDispose]();
  await running[Symbol.asyncDispose]();
});

/** Each test begins anew: in a conversation the first word counts that the model has a mind of. */
beforeEach(async () => {
  const { agent_id, agent } = await system.command("agents find", { channel: { type: "cli", channelId: "main" } });
  if (agent) await system.command("agents reset", { agent_id });
});

const replies = (text: string) => ({ tool: "reply", args: { text, channelType: "cli", channelId: "main" } });

/** The model replies this, once for each message with the word. */
const answers = (word: string, text: string) =>
  system.think(word, ({ results }) => (results.length > 0 ? { text: "." } : { calls: [replies(text)] }));

async function agentSession(mode = "agent/main"): Promise<string> {
  const id = await editor.newSession(project);
  await editor.choose(id, "mode", mode);
  return id;
}

test("a session with a long-lived agent has what it replies, and no model or effort to choose", async () => {
  answers("pelargonium", "They are in the cellar.");
  const id = await editor.newSession(project);
  const { configOptions } = await editor.choose(id, "mode", "agent/main");
  expect(configOptions.map(({ id: option }) => option)).toEqual(["mode"]);
  expect(await editor.prompt(id, "Where are the pelargoniums?")).toMatchObject({ stopReason: "end_turn" });
  expect(editor.text(id, "agent_message_chunk")).toBe("They are in the cellar.");
  // What it says is no call of a tool for the editor.
  expect(editor.kind(id, "tool_call")).toEqual([]);
  expect(editor.kind(id, "usage_update").length).toBeGreaterThan(0);
});

test("loaded again, it has the agent's conversation, whoever has spoken there", async () => {
  const id = await agentSession();
  answers("gooseberry", "Ripe in July.");
  await editor.prompt(id, "And the gooseberry?");
  expect(await runCortex(journal, ["chat", "The gooseberry once more?"])).toMatchObject({ code: 0 });
  await using other = await Editor.start(journal);
  await other.agent.request(methods.agent.session.load, { sessionId: id, cwd: project, mcpServers: [] });
  expect(other.text(id, "user_message_chunk")).toMatch(/And the gooseberry\?.*The gooseberry once more\?/s);
  expect(other.text(id, "user_message_chunk")).not.toContain("[channel:");
  expect(other.text(id, "agent_message_chunk")).toContain("Ripe in July.");
});

test("what the agent replies unasked, or to others, is shown as long as its session is open", async () => {
  const id = await agentSession();
  answers("rowan", "Its berries are red.");
  await editor.prompt(id, "The rowan?");
  expect(await runCortex(journal, ["chat", "The rowan once more?"])).toMatchObject({ code: 0 });
  const both = "Its berries are red.\n\nIts berries are red.";
  await editor.until(() => editor.text(id, "agent_message_chunk") === both, "both replies are told");
  await editor.agent.request(methods.agent.session.close, { sessionId: id });
  expect(await runCortex(journal, ["chat", "And the rowan now?"])).toMatchObject({ code: 0 });
  // Another session of the same editor hears what comes behind it.
  const other = await agentSession();
  await editor.prompt(other, "The rowan at last?");
  expect(editor.text(id, "agent_message_chunk")).toBe(both);
});

test("a persona and an agent, prompted at once in one process, answer at once and don't mix", async () => {
  const go = Promise.withResolvers<void>();
  system.think("quince", async ({ results }) => {
    await go.promise;
    return results.length > 0 ? { text: "." } : { calls: [replies("Quinces keep.")] };
  });
  const [talk, work] = [await agentSession(), await editor.newSession(project)];
  const wait = join(journal, "never-there");
  const asked = editor.prompt(talk, "Do quinces keep?");
  const begun = { event: "text", text: "At work." };
  const running = editor.prompt(
    work,
    JSON.stringify([{ ev: { event: "start", model: "m" } }, { ev: begun }, { await: wait }]),
  );
  await editor.until(() => editor.text(work, "agent_message_chunk") === "At work.", "the run has begun");
  await editor.until(() => system.askedOf("quince").length > 0, "the agent thinks");
  go.resolve();
  expect(await asked).toMatchObject({ stopReason: "end_turn" });
  // The other one goes on all the while.
  await editor.cancel(work);
  expect(await running).toMatchObject({ stopReason: "cancelled" });
  expect(editor.text(talk, "agent_message_chunk")).toBe("Quinces keep.");
  expect(editor.text(work, "agent_message_chunk")).toBe("At work.");
  // Nor does another session with the same agent hear what this one has asked for.
  for (const other of editor.updates.keys())
    if (other !== talk) expect(editor.text(other, "agent_message_chunk")).not.toContain("Quinces");
});

test("two long-lived agents in one process each have their own session", async () => {
  const channel = await system.channel("alpha");
  // The first word of its conversation counts.
  system.think("damson", ({ results, last }) => {
    if (results.length > 0) return { text: "." };
    return { calls: [replies(last.includes("first") ? "The first damson." : "The second damson.")] };
  });
  await channel.say("Tell me of damsons.", { channelId: "orchard" });
  const other = await system.agentOf({ type: "alpha", channelId: "orchard", userId: "owner" });
  await system.turns(other, 1);
  const [own, orchard] = [await agentSession(), await agentSession(`agent/${other}`)];
  await Promise.all([editor.prompt(own, "A first damson?"), editor.prompt(orchard, "A second damson?")]);
  expect(editor.text(own, "agent_message_chunk")).toBe("The first damson.");
  expect(editor.text(orchard, "agent_message_chunk")).toBe("The second damson.");
});

test("session/cancel stops the agent's turn", async () => {
  const never = Promise.withResolvers<{ text: string }>();
  system.think("hawthorn", () => never.promise);
  const id = await agentSession();
  const asked = editor.prompt(id, "What of the hawthorn?");
  await editor.until(() => system.askedOf("hawthorn").length > 0, "the agent thinks");
  await editor.cancel(id);
  expect(await asked).toMatchObject({ stopReason: "cancelled" });
  never.resolve({ text: "." });
});

test("a turn that fails is an error with the model's own words", async () => {
  const body = { type: "error", error: { type: "invalid_request_error", message: "No such juniper" } };
  const id = await agentSession();
  system.think("juniper", () => ({ status: 400, body }));
  await expect(editor.prompt(id, "What of the juniper?")).rejects.toMatchObject({
    message: expect.stringContaining("No such juniper"),
    data: { reason: "provider" },
  });
});

test("a file that goes with a reply is shown once, as a link to where it is kept", async () => {
  const data = Buffer.from("Currants, red").toString("base64");
  const attachments = [{ name: "currants.txt", mime: "text/plain", data }];
  const args = { text: "Here they are.", channelType: "cli", channelId: "main", attachments };
  system.think("currant", ({ results }) => (results.length > 0 ? { text: "." } : { calls: [{ tool: "reply", args }] }));
  const id = await agentSession();
  await editor.prompt(id, "The list of currants, please.");
  expect(editor.kind(id, "agent_message_chunk").map(({ content }) => content)).toMatchObject([
    { type: "text", text: "Here they are." },
    { type: "resource_link", name: "currants.txt", uri: expect.stringMatching(/^file:.*\/attachments\//) },
  ]);
});

test("a message that is longer than agents take is refused as such, and nothing is said", async () => {
  const id = await agentSession();
  await expect(editor.prompt(id, "x".repeat(maxMessageText + 1))).rejects.toMatchObject({
    code: -32_602,
    message: expect.stringContaining("is too long"),
  });
});

test("a call of the agent that waits for a person is put to the editor", async () => {
  const write = { tool: "memory_write", args: { path: "sorrel.md", content: "> Summary: sorrel\n" } };
  system.think("sorrel", ({ results }) =>
    results.length > 0 ? { text: "." } : { calls: [write, replies("Noted, the sorrel.")] },
  );
  editor.user = picks("allow");
  const id = await agentSession();
  await editor.prompt(id, "Remember the sorrel.");
  const asked = editor.asked.filter(({ request }) => request.sessionId === id);
  expect(asked).toHaveLength(1);
  expect(existsSync(join(journal, "memory/sorrel.md"))).toBe(true);
  expect(editor.text(id, "agent_message_chunk")).toBe("Noted, the sorrel.");
});

test("a turn whose editor is killed goes on; the session, loaded again, is asked what it asks and hears its reply", async () => {
  const write = { tool: "memory_write", args: { path: "yarrow.md", content: "> Summary: yarrow\n" } };
  const mind: Mind = ({ results }) =>
    results.length > 0 ? { text: "." } : { calls: [write, replies("Noted, the yarrow.")] };
  // The index of the memory names what another test has written there.
  for (const word of ["sorrel", "yarrow"]) system.think(word, mind);
  // Another editor with this agent is asked as well, and says nothing.
  editor.user = isSilent;
  const first = await Editor.start(journal, { args: ["-p", "player"] });
  const id = await first.newSession(project);
  await first.choose(id, "mode", "agent/main");
  const asked = first.prompt(id, "Remember the yarrow.").catch(() => null);
  await first.until(() => first.asked.length > 0, "the editor is asked");
  await first.kill();
  await asked;
  await using second = await Editor.start(journal);
  second.user = picks("allow");
  await second.agent.request(methods.agent.session.load, { sessionId: id, cwd: project, mcpServers: [] });
  expect(second.text(id, "user_message_chunk")).toContain("Remember the yarrow.");
  await second.until(() => second.text(id, "agent_message_chunk").includes("Noted, the yarrow."), "it replies");
  expect(second.asked).toHaveLength(1);
  expect(existsSync(join(journal, "memory/yarrow.md"))).toBe(true);
});

test("a turn whose editor is killed can be stopped from the session, loaded again, also while the agents' service is away", async () => {
  const never = Promise.withResolvers<{ text: string }>();
  system.think("teasel", () => never.promise);
  const first = await Editor.start(journal, { args: ["-p", "player"] });
  const id = await first.newSession(project);
  await first.choose(id, "mode", "agent/main");
  const asked = first.prompt(id, "What of the teasel?").catch(() => null);
  const run = () => readSession(journal, id)?.runs.at(-1);
  await first.until(() => system.askedOf("teasel").length > 0 && run() !== undefined, "the agent thinks");
  await first.kill();
  await asked;
  await using second = await Editor.start(journal);
  await second.agent.request(methods.agent.session.load, { sessionId: id, cwd: project, mcpServers: [] });
  // First who would start another service in its place.
  const supervisor = system.pidOf("supervisor");
  process.kill(supervisor, "SIGSTOP");
  try {
    system.up.kill("agents");
    await second.cancel(id);
    await second.until(() => second.log.includes("isn't stopped"), "it was told in vain");
  } finally {
    process.kill(supervisor, "SIGCONT");
  }
  await system.until(() => system.up.hasEnded(String(run())), "the turn ends");
  expect(await findEvent(journal, String(run()), ["error"])).toMatchObject({ reason: "cancelled" });
  never.resolve({ text: "." });
});
