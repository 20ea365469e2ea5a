/** Prompts that a persona answers, by the SDK's own client over stdio: what is told while the run goes on, and how it ends. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { findEvent } from "../../journal/runs/read-run.ts";
import { png } from "../support/files/sample-files.ts";
import { answering, startAcp, steps, waitingIn } from "./acp-system.ts";
import { Editor, runOf } from "./editor.ts";

const { journal, project, ...running } = await startAcp();
const editor = await Editor.start(journal, { args: ["-p", "player"] });
afterAll(async () => {
  await editor[Symbol.asyncDispose]();
  await running[Symbol.asyncDispose]();
});

const requestOf = (run: string) => findEvent(journal, run, ["request"]);

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
  ["max_tokens", [{ event: "error", error: "cut off", reason: "provider", detail: "cut_off" }]],
  ["max_turn_requests", [{ event: "error", error: "not done in 3 turns", reason: "provider", detail: "turn_limit" }]],
  ["refusal", [{ event: "error", error: "m refused to answer", reason: "provider", detail: "refused" }]],
  ["cancelled", [{ event: "error", error: "stopped", reason: "cancelled" }]],
])("a prompt ends in %s as its run does", async (stopReason, events) => {
  const session = await editor.newSession(project);
  const prompt = steps({ event: "start", model: "m" }, ...events);
  expect(await editor.prompt(session, prompt)).toMatchObject({ stopReason });
  const told = editor.text(session, "agent_thought_chunk");
  const why = events.flatMap((one) => ("error" in one && stopReason !== "cancelled" ? [one.error] : []));
  expect(told).toBe(why.join(""));
});

test("session/cancel stops the run, and its prompt answers so; a prompt besides it is refused", async () => {
  const session = await editor.newSession(project);
  const never = waitingIn(journal, "never-1");
  const asked = editor.prompt(session, never.prompt);
  await editor.until(() => editor.text(session, "agent_message_chunk") !== "", "it has begun");
  await expect(editor.prompt(session, answering("Me first."))).rejects.toMatchObject({ code: -32_600 });
  await editor.cancel(session);
  const answer = await asked;
  expect(answer.stopReason).toBe("cancelled");
  expect(await findEvent(journal, runOf(answer), ["error"])).toMatchObject({ reason: "cancelled" });
  expect(await editor.prompt(session, answering("Now."))).toMatchObject({ stopReason: "end_turn" });
});
