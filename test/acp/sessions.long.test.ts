/** Sessions of personas, by the SDK's own client over stdio: opened, chosen for, listed, loaded, resumed, closed and deleted. */
import { type McpServer, methods } from "@agentclientprotocol/sdk";
import { afterAll, expect, test } from "vitest";
import { readSession, writeSession } from "../../journal/editor-sessions/session-store.ts";
import { pruneRuns } from "../../journal/retention/retention.ts";
import { findEvent } from "../../journal/runs/read-run.ts";
import { answering, startAcp, steps, usage, waitingIn } from "./acp-system.ts";
import { Editor, runOf } from "./editor.ts";

const { system, journal, project, ...running } = await startAcp();
const editor = await Editor.start(journal, { args: ["-p", "player"] });
afterAll(async () => {
  await editor[Symbol.asyncDispose]();
  await running[Symbol.asyncDispose]();
});

const { session: methodsOf } = methods.agent;
const requestOf = (run: string) => findEvent(journal, run, ["request"]);

test("an agent says what it is and what it can", () => {
  expect(editor.initialized).toMatchObject({
    protocolVersion: 1,
    agentInfo: { name: "cortex" },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, embeddedContext: true },
      sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
    },
  });
});

test("personas, models and efforts can be chosen, as modes and as options, and hold for the next run", async () => {
  const { sessionId, modes, configOptions } = await editor.agent.request(methodsOf.new, {
    cwd: project,
    mcpServers: [],
  });
  expect(modes?.currentModeId).toBe("player");
  const ids = modes?.availableModes.map(({ id }) => id) ?? [];
  expect(ids).toEqual(expect.arrayContaining(["default", "player", "coder", "agent/main"]));
  expect(ids).not.toContain("off");
  expect(configOptions?.map(({ id, category }) => [id, category])).toEqual([
    ["mode", "mode"],
    ["model", "model"],
    ["effort", "thought_level"],
  ]);
  await editor.agent.request(methodsOf.setMode, { sessionId, modeId: "coder" });
  expect(editor.kind(sessionId, "current_mode_update")).toMatchObject([{ currentModeId: "coder" }]);
  // Both at once, as an editor that restores what was chosen before.
  await Promise.all([
    editor.choose(sessionId, "model", "anthropic/claude-haiku-4-5"),
    editor.choose(sessionId, "effort", "low"),
  ]);
  const { configOptions: chosen } = await editor.choose(sessionId, "effort", "low");
  expect(chosen).toMatchObject([
    { currentValue: "coder" },
    { currentValue: "anthropic/claude-haiku-4-5" },
    { currentValue: "low" },
  ]);
  system.think("marjoram", () => ({ text: "Sown." }));
  const run = runOf(await editor.prompt(sessionId, "Sow the marjoram."));
  expect(await requestOf(run)).toMatchObject({
    persona: "coder",
    backend: "anthropic",
    model: "claude-haiku-4-5",
    thinking_budget: 2048,
  });
  await expect(editor.choose(sessionId, "model", "nobody/knows")).rejects.toMatchObject({
    code: -32_602,
    message: expect.stringContaining("nobody/knows"),
  });
  await expect(editor.choose(sessionId, "mode", "off")).rejects.toMatchObject({ code: -32_602 });
  // Its conversation is the agent's own: what was said here isn't taken there.
  await expect(editor.choose(sessionId, "mode", "agent/main")).rejects.toMatchObject({ code: -32_600 });
});

test("MCP servers of the editor aren't used, and the session says so", async () => {
  const server: McpServer = { name: "notes", command: "/bin/notes", args: [], env: [] };
  await using other = await Editor.start(journal, {
    args: ["-p", "player"],
    clientCapabilities: { session: { notices: {} } },
  });
  const { sessionId } = await other.agent.request(methodsOf.new, { cwd: project, mcpServers: [server] });
  await other.prompt(sessionId, answering("Yes."));
  await other.prompt(sessionId, answering("Yes."));
  expect(other.kind(sessionId, "notice")).toEqual([
    expect.objectContaining({ severity: "info", title: expect.stringContaining("notes") }),
  ]);
  const { sessionId: without } = await editor.agent.request(methodsOf.new, { cwd: project, mcpServers: [server] });
  await editor.prompt(without, answering("Yes."));
  expect(editor.text(without, "agent_thought_chunk")).toContain("mcp_servers");
});

test("personas take turns in a session, each going on from what was said", async () => {
  const session = await editor.newSession(project);
  const first = runOf(await editor.prompt(session, answering("The bed is dug.")));
  await editor.choose(session, "mode", "reader");
  const second = runOf(await editor.prompt(session, "Where do the pumpkins grow?"));
  await editor.choose(session, "mode", "player");
  const third = runOf(await editor.prompt(session, answering("Sown.")));
  expect(await requestOf(first)).toMatchObject({ persona: "player" });
  expect(await requestOf(second)).toMatchObject({ persona: "reader", continue_from: first });
  expect(await requestOf(third)).toMatchObject({ persona: "player", continue_from: second });
  expect(editor.text(session, "agent_message_chunk")).toMatch(/^The bed is dug\.[^]*behind the shed[^]*Sown\.$/);
});

test("several folders in one session are refused, whichever way it is opened", async () => {
  const place = { cwd: project, mcpServers: [], additionalDirectories: ["/elsewhere"] };
  const refusal = { code: -32_602, message: expect.stringContaining("additionalDirectories") };
  await expect(editor.agent.request(methodsOf.new, place)).rejects.toMatchObject(refusal);
  const sessionId = await editor.newSession(project);
  await editor.prompt(sessionId, answering("One."));
  for (const method of [methodsOf.load, methodsOf.resume])
    await expect(editor.agent.request(method, { sessionId, ...place })).rejects.toMatchObject(refusal);
  // None that is named is one.
  await editor.agent.request(methodsOf.resume, { sessionId, cwd: project, additionalDirectories: [] });
});

test("sessions that are prompted at once are answered at once, and don't mix", async () => {
  const sessions = [await editor.newSession(project), await editor.newSession(project)];
  const prompts = [waitingIn(journal, "left"), waitingIn(journal, "right")];
  const asked = sessions.map((session, index) => editor.prompt(session, prompts[index]?.prompt ?? ""));
  const begun = () => sessions.every((session) => editor.text(session, "agent_message_chunk") !== "");
  // Both have begun before either may end.
  await editor.until(begun, "both have begun");
  for (const { go } of prompts) go();
  const runs = (await Promise.all(asked)).map(runOf);
  expect(runs[0]).not.toBe(runs[1]);
  expect(sessions.map((session) => editor.text(session, "agent_message_chunk"))).toEqual([
    "Begun left.\n\nDone left.",
    "Begun right.\n\nDone right.",
  ]);
});

test("sessions are listed, and loaded and resumed by another process", async () => {
  const session = await editor.newSession(project);
  const title = "List the seeds";
  await expect(editor.prompt(session, title)).resolves.toMatchObject({ stopReason: "end_turn" });
  const asked = { event: "tool_start", tool: "read", args: { path: "a.md" }, call_id: "c1" };
  const last = await editor.prompt(
    session,
    steps(
      { event: "start", model: "m" },
      asked,
      { ...asked, event: "tool_end", result: "Beans" },
      { event: "finish", result: "Beans.", usage },
    ),
  );
  await using other = await Editor.start(journal);
  const { sessions } = await other.agent.request(methodsOf.list, { cwd: project });
  expect(sessions[0]).toMatchObject({ sessionId: session, cwd: project, title, updatedAt: expect.any(String) });
  expect((await other.agent.request(methodsOf.list, { cwd: "/elsewhere" })).sessions).toEqual([]);
  await expect(other.prompt(session, "x")).rejects.toMatchObject({ code: -32_002 });

  const loaded = await other.agent.request(methodsOf.load, { sessionId: session, cwd: project, mcpServers: [] });
  // What was said is told before the answer.
  const told = [...other.of(session)];
  expect(loaded.modes?.currentModeId).toBe("player");
  expect(told.map(({ sessionUpdate }) => sessionUpdate)).toEqual([
    "user_message_chunk",
    "agent_message_chunk",
    "user_message_chunk",
    "tool_call",
    "tool_call_update",
    "agent_message_chunk",
    "usage_update",
  ]);
  expect(other.text(session, "user_message_chunk")).toContain(title);
  expect(other.text(session, "agent_message_chunk")).toBe(`echo: ${title}Beans.`);
  const next = runOf(await other.prompt(session, answering("More.")));
  expect(await requestOf(next)).toMatchObject({ continue_from: runOf(last) });

  await using third = await Editor.start(journal);
  await third.agent.request(methodsOf.resume, { sessionId: session, cwd: project });
  expect(third.of(session).every(({ sessionUpdate }) => sessionUpdate === "usage_update")).toBe(true);
  expect(third.kind(session, "usage_update").at(-1)).toMatchObject({ cost: { amount: 0.5 } });
  await third.prompt(session, answering("Even more."));
  expect(third.text(session, "agent_message_chunk")).toBe("Even more.");
});

test("a session that is closed is stopped and takes no prompts until it is resumed; one that is deleted is gone", async () => {
  const session = await editor.newSession(project);
  const never = waitingIn(journal, "never-2");
  const asked = editor.prompt(session, never.prompt);
  await editor.until(() => editor.text(session, "agent_message_chunk") !== "", "it has begun");
  await editor.agent.request(methodsOf.close, { sessionId: session });
  expect(await asked).toMatchObject({ stopReason: "cancelled" });
  await expect(editor.prompt(session, "x")).rejects.toMatchObject({ code: -32_002 });
  await editor.agent.request(methodsOf.resume, { sessionId: session, cwd: project });
  const last = runOf(await editor.prompt(session, answering("Back.")));
  await editor.agent.request(methodsOf.delete, { sessionId: session });
  // Its runs stay.
  expect(await findEvent(journal, last, ["finish"])).toMatchObject({ result: "Back." });
  const { sessions } = await editor.agent.request(methodsOf.list, {});
  expect(sessions.map(({ sessionId }) => sessionId)).not.toContain(session);
  await expect(
    editor.agent.request(methodsOf.load, { sessionId: session, cwd: project, mcpServers: [] }),
  ).rejects.toMatchObject({ code: -32_002 });
});

test("a session that another editor deletes stays deleted, though its own goes on with it", async () => {
  const session = await editor.newSession(project);
  await editor.prompt(session, answering("One."));
  await using other = await Editor.start(journal);
  await other.agent.request(methodsOf.delete, { sessionId: session });
  const answer = await editor.prompt(session, answering("Two."));
  expect(answer.stopReason).toBe("end_turn");
  const { sessions } = await editor.agent.request(methodsOf.list, {});
  expect(sessions.map(({ sessionId }) => sessionId)).not.toContain(session);
});

test("retention takes a session that nobody uses with its last run; who has it open goes on with nothing before it", async () => {
  const session = await editor.newSession(project);
  const first = runOf(await editor.prompt(session, answering("One.")));
  await system.until(() => system.up.hasEnded(first), "its file has ended");
  const record = readSession(journal, session);
  await pruneRuns(journal, { delete_after_days: 1, now: Date.now() + 3 * 86_400_000 });
  const { sessions } = await editor.agent.request(methodsOf.list, {});
  expect(sessions.map(({ sessionId }) => sessionId)).not.toContain(session);
  const next = await editor.prompt(session, answering("Two."));
  expect(next.stopReason).toBe("end_turn");
  expect(await requestOf(runOf(next))).not.toHaveProperty("continue_from");
  // One that was used since stays, without what was said in the runs that are gone.
  if (record) await writeSession(journal, record);
  await using other = await Editor.start(journal);
  await other.agent.request(methodsOf.load, { sessionId: session, cwd: project, mcpServers: [] });
  const last = await other.prompt(session, answering("Three."));
  expect(await requestOf(runOf(last))).not.toHaveProperty("continue_from");
  expect(other.text(session, "agent_message_chunk")).toBe("Three.");
});

test("stdout has nothing but the protocol", () => {
  const lines = editor.stdout.split("\n").filter((line) => line !== "");
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
});
