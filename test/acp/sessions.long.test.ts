/** Sessions of personas, by the SDK's own client over stdio: what is told, chosen, listed, loaded, resumed, stopped and closed. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type McpServer, methods } from "@agentclientprotocol/sdk";
import { afterAll, expect, test } from "vitest";
import { findEvent } from "../../journal/runs/read-run.ts";
import { png } from "../support/files/sample-files.ts";
import { answering, startAcp, steps, usage } from "./acp-system.ts";
import { Editor, runOf } from "./editor.ts";

const { system, journal, project, ...running } = await startAcp();
const start = (args = ["-p", "player"]) => Editor.start(journal, { args });
const editor = await start();
afterAll(async () => {
  await editor[Symbol.asyncDispose]();
  await running[Symbol.asyncDispose]();
});

const { session: methodsOf } = methods.agent;
const requestOf = (run: string) => findEvent(journal, run, ["request"]);

/** A prompt for `player` that says something, waits for a file, and goes on. */
const waiting = (name: string, ...rest: object[]) => ({
  go: () => writeFileSync(join(journal, name), ""),
  prompt: JSON.stringify([
    { ev: { event: "start", model: "m" } },
    { ev: { event: "text", text: `Begun ${name}.` } },
    { await: join(journal, name) },
    ...rest.map((ev) => ({ ev })),
    { ev: { event: "finish", result: `Done ${name}.`, usage } },
  ]),
});

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

test("a prompt is a run in the editor's folder, and the next one goes on from it", async () => {
  const session = await editor.newSession(project);
  const first = await editor.prompt(session, answering("One."));
  expect(first.stopReason).toBe("end_turn");
  expect(await requestOf(runOf(first))).toMatchObject({
    persona: "player",
    folder: project,
    watched: true,
    stream: true,
  });
  const second = await editor.prompt(session, answering("Two."));
  expect(await requestOf(runOf(second))).toMatchObject({ continue_from: runOf(first) });
  expect(editor.text(session, "agent_message_chunk")).toBe("One.Two.");
  expect(editor.kind(session, "session_info_update")).toHaveLength(1);
});

test("the cost of a session is the running total of its runs", async () => {
  const session = await editor.newSession(project);
  await editor.prompt(session, answering("One."));
  await editor.prompt(session, answering("Two."));
  const costs = editor.kind(session, "usage_update").map(({ cost }) => cost);
  expect(costs).toEqual([
    { amount: 0.25, currency: "USD" },
    { amount: 0.5, currency: "USD" },
  ]);
});

test("a text comes in pieces while its run goes on", async () => {
  const session = await editor.newSession(project);
  const go = join(journal, "go-on");
  const asked = editor.prompt(
    session,
    JSON.stringify([
      { ev: { event: "start", model: "m" } },
      { ev: { event: "text_delta", text: "First " } },
      { await: go },
      { ev: { event: "text_delta", text: "and last." } },
      { ev: { event: "text", text: "First and last." } },
      { ev: { event: "finish", result: "First and last." } },
    ]),
  );
  await editor.until(() => editor.text(session, "agent_message_chunk") === "First ", "the first piece");
  writeFileSync(go, "");
  await asked;
  expect(editor.text(session, "agent_message_chunk")).toBe("First and last.");
});

test("without a model, the notes answer", async () => {
  const session = await editor.newSession(project);
  await editor.choose(session, "mode", "reader");
  expect(await editor.prompt(session, "Where do the pumpkins grow?")).toMatchObject({ stopReason: "end_turn" });
  expect(editor.text(session, "agent_message_chunk")).toContain("behind the shed");
  expect(editor.kind(session, "tool_call")[0]).toMatchObject({ name: "search_journal", kind: "search" });
});

test("thoughts, calls of tools and plans are told as they are", async () => {
  const session = await editor.newSession(project);
  const edited = { path: "src/sum.js", old_str: "a - b", new_str: "a + b" };
  const todos = [
    { content: "Find it", status: "completed" },
    { content: "Mend it", status: "in_progress" },
  ];
  const answered = await editor.prompt(
    session,
    steps(
      { event: "start", model: "m", folder: project },
      { event: "thinking", summary: "It subtracts." },
      { event: "tool_start", tool: "edit", args: edited, call_id: "c1" },
      { event: "tool_end", tool: "edit", args: edited, call_id: "c1", result: "src/sum.js:1: changed" },
      { event: "tool_start", tool: "bash", args: { command: "npm test" }, call_id: "c2" },
      { event: "tool_end", tool: "bash", args: {}, call_id: "c2", result: "no such program", is_error: true },
      { event: "tool_end", tool: "TodoWrite", args: { todos }, call_id: "c3", result: "ok" },
      { event: "finish", result: "Mended." },
    ),
  );
  const id = (call: string) => `${runOf(answered)}:${call}`;
  expect(editor.text(session, "agent_thought_chunk")).toBe("It subtracts.");
  expect(editor.kind(session, "tool_call")).toMatchObject([
    {
      toolCallId: id("c1"),
      kind: "edit",
      title: "edit src/sum.js",
      status: "in_progress",
      rawInput: edited,
      locations: [{ path: join(project, "src/sum.js") }],
      content: [{ type: "diff", path: join(project, "src/sum.js"), oldText: "a - b", newText: "a + b" }],
    },
    { toolCallId: id("c2"), kind: "execute", title: "npm test" },
    { toolCallId: id("c3") },
  ]);
  expect(editor.kind(session, "tool_call_update").map(({ toolCallId, status }) => [toolCallId, status])).toEqual([
    [id("c1"), "completed"],
    [id("c2"), "failed"],
    [id("c3"), "completed"],
  ]);
  expect(editor.kind(session, "plan")).toMatchObject([
    {
      entries: [
        { content: "Find it", status: "completed" },
        { content: "Mend it", status: "in_progress" },
      ],
    },
  ]);
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

test("images are files of the run; links and embedded files are text", async () => {
  const session = await editor.newSession(project);
  const run = runOf(
    await editor.prompt(session, [
      { type: "text", text: "Look:" },
      { type: "image", mimeType: "image/png", data: png().toString("base64") },
      { type: "resource_link", name: "sum.js", uri: `file://${project}/src/sum.js` },
      { type: "resource", resource: { uri: `file://${project}/notes.md`, text: "Beans.\n" } },
    ]),
  );
  expect(await requestOf(run)).toMatchObject({
    prompt: "Look:\n\n[sum.js](src/sum.js)\n\nnotes.md:\n\n```\nBeans.\n```",
    attachments: [{ id: expect.stringMatching(/^[0-9a-f]{64}$/) }],
  });
  await expect(editor.prompt(session, "  ")).rejects.toMatchObject({ code: -32_602 });
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

test("a run that fails is an error in words, with its reason", async () => {
  const session = await editor.newSession(project);
  const failing = steps(
    { event: "start", model: "m" },
    { event: "error", error: "no key for that", reason: "provider" },
  );
  await expect(editor.prompt(session, failing)).rejects.toMatchObject({
    code: -32_603,
    message: "no key for that",
    data: { reason: "provider", run: expect.stringMatching(/^\d{13}$/) },
  });
  const elsewhere = await editor.newSession("/");
  await expect(editor.prompt(elsewhere, answering("No."))).rejects.toMatchObject({
    message: expect.stringContaining("folder"),
    data: { reason: "config" },
  });
  await expect(editor.newSession("garden")).rejects.toMatchObject({ code: -32_602 });
});

test.each([
  ["end_turn", [{ event: "finish", result: "Yes." }]],
  [
    "max_tokens",
    [
      { event: "usage", finish_reason: "length" },
      { event: "finish", result: "Ye" },
    ],
  ],
  ["refusal", [{ event: "error", error: "m refused to answer", reason: "provider", detail: "refused" }]],
  ["cancelled", [{ event: "error", error: "stopped", reason: "cancelled" }]],
])("a prompt ends in %s as its run does", async (stopReason, events) => {
  const session = await editor.newSession(project);
  const prompt = steps({ event: "start", model: "m" }, ...events);
  expect(await editor.prompt(session, prompt)).toMatchObject({ stopReason });
});

test("session/cancel stops the run, and its prompt answers so; a prompt besides it is refused", async () => {
  const session = await editor.newSession(project);
  const never = waiting("never-1");
  const asked = editor.prompt(session, never.prompt);
  await editor.until(() => editor.text(session, "agent_message_chunk") !== "", "it has begun");
  await expect(editor.prompt(session, answering("Me first."))).rejects.toMatchObject({ code: -32_600 });
  await editor.cancel(session);
  const answer = await asked;
  expect(answer.stopReason).toBe("cancelled");
  expect(await findEvent(journal, runOf(answer), ["error"])).toMatchObject({ reason: "cancelled" });
  expect(await editor.prompt(session, answering("Now."))).toMatchObject({ stopReason: "end_turn" });
});

test("sessions that are prompted at once are answered at once, and don't mix", async () => {
  const sessions = [await editor.newSession(project), await editor.newSession(project)];
  const prompts = [waiting("left"), waiting("right")];
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
  await using other = await start([]);
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

  await using third = await start([]);
  await third.agent.request(methodsOf.resume, { sessionId: session, cwd: project });
  expect(third.of(session).every(({ sessionUpdate }) => sessionUpdate === "usage_update")).toBe(true);
  expect(third.kind(session, "usage_update").at(-1)).toMatchObject({ cost: { amount: 0.5 } });
  await third.prompt(session, answering("Even more."));
  expect(third.text(session, "agent_message_chunk")).toBe("Even more.");
});

test("a session that is closed is stopped and takes no prompts until it is resumed; one that is deleted is gone", async () => {
  const session = await editor.newSession(project);
  const never = waiting("never-2");
  const asked = editor.prompt(session, never.prompt);
  await editor.until(() => editor.text(session, "agent_message_chunk") !== "", "it has begun");
  await editor.agent.request(methodsOf.close, { sessionId: session });
  expect(await asked).toMatchObject({ stopReason: "cancelled" });
  await expect(editor.prompt(session, "x")).rejects.toMatchObject({ code: -32_002 });
  await editor.agent.request(methodsOf.resume, { sessionId: session, cwd: project });
  await editor.prompt(session, answering("Back."));
  await editor.agent.request(methodsOf.delete, { sessionId: session });
  const { sessions } = await editor.agent.request(methodsOf.list, {});
  expect(sessions.map(({ sessionId }) => sessionId)).not.toContain(session);
  await expect(
    editor.agent.request(methodsOf.load, { sessionId: session, cwd: project, mcpServers: [] }),
  ).rejects.toMatchObject({ code: -32_002 });
});

test("stdout has nothing but the protocol", () => {
  const lines = editor.stdout.split("\n").filter((line) => line !== "");
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
});
