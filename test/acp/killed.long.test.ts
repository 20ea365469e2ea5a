/** Editors and programs that are killed in the middle: nothing that was asked is lost. */
import { methods } from "@agentclientprotocol/sdk";
import { afterAll, expect, test } from "vitest";
import { findEvent } from "../../journal/runs/read-run.ts";
import { readSession } from "../../journal/editor-sessions/session-store.ts";
import { answering, startAcp, waitingIn } from "./acp-system.ts";
import { Editor, runOf } from "./editor.ts";

const { system, journal, project, ...running } = await startAcp();
afterAll(() => running[Symbol.asyncDispose]());

const start = () => Editor.start(journal, { args: ["-p", "player"] });
const load = (editor: Editor, sessionId: string) =>
  editor.agent.request(methods.agent.session.load, { sessionId, cwd: project, mcpServers: [] });

const text = (editor: Editor, session: string) => editor.text(session, "agent_message_chunk");

/** An editor whose prompt has begun, and which is killed then. */
async function killedAt(prompt: string, begun: string): Promise<string> {
  const editor = await start();
  const session = await editor.newSession(project);
  const asked = editor.prompt(session, prompt).catch(() => null);
  await editor.until(() => text(editor, session) === begun, "it has begun");
  await editor.kill();
  await asked;
  return session;
}

test("a run whose editor is killed goes on; the session, loaded again, tells what it said and says", async () => {
  const { go, prompt } = waitingIn(journal, "plum");
  const session = await killedAt(prompt, "Begun plum.");
  await using editor = await start();
  await load(editor, session);
  expect(text(editor, session)).toBe("Begun plum.");
  // Said while the run goes on: it is answered behind it.
  const next = editor.prompt(session, answering("And more."));
  go();
  expect(await next).toMatchObject({ stopReason: "end_turn" });
  expect(text(editor, session)).toBe("Begun plum.\n\nDone plum.And more.");
  const [first, second] = readSession(journal, session)?.runs ?? [];
  expect(await findEvent(journal, String(second), ["request"])).toMatchObject({ continue_from: first });
});

test("a run whose editor is killed can be stopped from the session, loaded again", async () => {
  const session = await killedAt(waitingIn(journal, "never-3").prompt, "Begun never-3.");
  await using editor = await start();
  await load(editor, session);
  await editor.cancel(session);
  const [run] = readSession(journal, session)?.runs ?? [];
  await system.until(() => system.up.hasEnded(String(run)), "the run ends");
  expect(await findEvent(journal, String(run), ["error"])).toMatchObject({ reason: "cancelled" });
  expect(await editor.prompt(session, answering("Next."))).toMatchObject({ stopReason: "end_turn" });
});

test("a prompt that is cancelled while cortex hangs ends all the same, and the next one waits for what it began", async () => {
  await using editor = await start();
  const session = await editor.newSession(project);
  const asked = editor.prompt(session, waitingIn(journal, "never-4").prompt);
  await editor.until(() => text(editor, session) !== "", "it has begun");
  // First who would start another cortex in its place.
  const hanging = ["supervisor", "cortex"].map((name) => system.pidOf(name));
  for (const pid of hanging) process.kill(pid, "SIGSTOP");
  try {
    await editor.cancel(session);
    expect(await asked).toMatchObject({ stopReason: "cancelled" });
  } finally {
    for (const pid of hanging.toReversed()) process.kill(pid, "SIGCONT");
  }
  expect(await editor.prompt(session, answering("Next."))).toMatchObject({ stopReason: "end_turn" });
  const [first] = readSession(journal, session)?.runs ?? [];
  expect(await findEvent(journal, String(first), ["error"])).toMatchObject({ reason: "cancelled" });
});

test("an editor that leaves takes nothing back", async () => {
  const { go, prompt } = waitingIn(journal, "pear");
  const editor = await start();
  const session = await editor.newSession(project);
  const asked = editor.prompt(session, prompt).catch(() => null);
  await editor.until(() => text(editor, session) === "Begun pear.", "it has begun");
  await editor[Symbol.asyncDispose]();
  await asked;
  go();
  const [run] = readSession(journal, session)?.runs ?? [];
  await system.until(() => system.up.hasEnded(String(run)), "the run ends");
  expect(await findEvent(journal, String(run), ["finish"])).toMatchObject({ result: "Done pear." });
});

test.each(["cortex", "nats-server", "agents"])("an agent's turn outlives the death of %s", async (program) => {
  await using editor = await start();
  const session = await editor.newSession(project);
  await editor.choose(session, "mode", "agent/main");
  // In a conversation the first word counts that the model has a mind of.
  const { agent_id, agent } = await system.command("agents find", { channel: { type: "cli", channelId: "main" } });
  if (agent) await system.command("agents reset", { agent_id });
  const word = `medlar-${program}`;
  const go = Promise.withResolvers<void>();
  const reply = { tool: "reply", args: { text: `Ripe: ${word}.`, channelType: "cli", channelId: "main" } };
  system.think(word, async ({ results }) => {
    if (results.length > 0) return { text: "." };
    await go.promise;
    return { calls: [reply] };
  });
  const asked = editor.prompt(session, `And the ${word}?`);
  await editor.until(() => system.askedOf(word).length > 0, "the agent thinks");
  const pid = system.pidOf(program);
  system.up.kill(program);
  await system.until(() => system.pidOf(program) !== pid && system.up.isReady(program), `${program} is back`);
  go.resolve();
  expect(await asked).toMatchObject({ stopReason: "end_turn" });
  expect(text(editor, session)).toBe(`Ripe: ${word}.`);
});

test("a prompt outlives the death of cortex and of the bus", async () => {
  await using editor = await start();
  const session = await editor.newSession(project);
  for (const program of ["cortex", "nats-server"]) {
    const { go, prompt } = waitingIn(journal, `under-${program}`);
    const asked = editor.prompt(session, prompt);
    await editor.until(() => text(editor, session).includes(`Begun under-${program}.`), "it has begun");
    const pid = system.pidOf(program);
    system.up.kill(program);
    await system.until(() => system.pidOf(program) !== pid && system.up.isReady(program), `${program} is back`);
    go();
    const answer = await asked;
    expect(answer.stopReason).toBe("end_turn");
    expect(await findEvent(journal, runOf(answer), ["finish"])).toMatchObject({ result: `Done under-${program}.` });
    expect(text(editor, session)).toContain(`Done under-${program}.`);
  }
});
