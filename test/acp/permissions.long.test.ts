/** Calls that wait for a person, in an editor: a persona's own tools in the project, asked about, allowed, denied, decided elsewhere. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readSettings } from "../../journal/config/settings.ts";
import { runCortex, runCortexJson } from "../scripts/run-command.ts";
import { makeRepository } from "../support/git-repository.ts";
import { startAcp } from "./acp-system.ts";
import { type Asked, Editor, picks, runOf } from "./editor.ts";

const { system, journal, project, ...running } = await startAcp({
  permissions: [{ tool: "write", match: "asked/*", decide: "ask" }],
});
const start = () => Editor.start(journal, { args: ["-p", "coder"] });
const editor = await start();
afterAll(async () => {
  await editor[Symbol.asyncDispose]();
  await running[Symbol.asyncDispose]();
});

const bash = (command: string) => ({ tool: "bash", args: { command } });

/** The model makes these calls, one after the other, and says what came of the last. */
function plays(word: string, ...calls: { tool: string; args: Record<string, unknown> }[]): void {
  let at = 0;
  system.think(word, ({ results: [result] }) => {
    const call = calls[at++];
    return call ? { calls: [call] } : { text: `It said: ${result?.text}` };
  });
}

const session = () => editor.newSession(project);
const askedOf = (from: Editor, sessionId: string): Promise<Asked> =>
  from.until(() => from.asked.find(({ request }) => request.sessionId === sessionId), "the editor is asked");

test("files that a run makes and changes are diffs, and what a command prints is shown", async () => {
  plays(
    "lavender",
    { tool: "write", args: { path: "bed.md", content: "Beans\n" } },
    { tool: "edit", args: { path: "bed.md", old_str: "Beans", new_str: "Peas" } },
    bash("cat bed.md"),
  );
  editor.user = picks("allow");
  const id = await session();
  await editor.prompt(id, "Plant the lavender.");
  const path = join(project, "bed.md");
  expect(readFileSync(path, "utf8")).toBe("Peas\n");
  const calls = editor.kind(id, "tool_call");
  expect(calls.map(({ kind, locations }) => [kind, locations])).toEqual([
    ["edit", [{ path }]],
    ["edit", [{ path }]],
    ["execute", []],
  ]);
  const ends = editor.kind(id, "tool_call_update").filter(({ status }) => status === "completed");
  expect(ends[0]).toMatchObject({ content: [{ type: "diff", path, oldText: null, newText: "Beans\n" }] });
  expect(calls[1]).toMatchObject({ content: [{ type: "diff", path, oldText: "Beans", newText: "Peas" }] });
  expect(ends[2]).toMatchObject({ content: [{ type: "content", content: { type: "text", text: "Peas\n" } }] });
  expect(editor.text(id, "agent_message_chunk")).toContain("It said: ");
  const used = editor.kind(id, "usage_update").at(-1);
  expect(used?.used).toBeGreaterThan(0);
  expect(used?.size).toBeGreaterThan(used?.used ?? 0);
  expect(used?.cost?.amount).toBeGreaterThan(0);
});

test("todos of a run are its plan", async () => {
  const todo = (tool: string, text: string) => ({ tool, args: { facet: "garden", day: "20260101", text } });
  plays("rosemary", todo("todo_add", "Dig"), todo("todo_add", "Sow"), todo("todo_done", "Dig"));
  const id = await session();
  await editor.prompt(id, "Plan the rosemary.");
  expect(editor.kind(id, "plan").at(-1)?.entries).toMatchObject([
    { content: "Dig", status: "completed" },
    { content: "Sow", status: "pending" },
  ]);
});

test("a call that is asked about waits for the editor's answer, and names the call", async () => {
  plays("sage", bash("touch sage"));
  let answer: (option: string) => void = () => {};
  editor.user = () =>
    new Promise((resolve) => (answer = (optionId) => resolve({ outcome: { outcome: "selected", optionId } })));
  const id = await session();
  const answered = editor.prompt(id, "Water the sage.");
  const { request } = await askedOf(editor, id);
  const [call] = editor.kind(id, "tool_call");
  expect(request.toolCall).toMatchObject({ toolCallId: call?.toolCallId, kind: "execute", title: "touch sage" });
  expect(request.options).toMatchObject([
    { kind: "allow_once", optionId: "allow" },
    { kind: "allow_always", optionId: "always", name: "Always allow bash touch sage" },
    { kind: "reject_once", optionId: "deny" },
  ]);
  expect(existsSync(join(project, "sage"))).toBe(false);
  answer("allow");
  await answered;
  expect(existsSync(join(project, "sage"))).toBe(true);
});

test("a call that is denied isn't made, and the model reads so", async () => {
  plays("thyme", bash("touch thyme"));
  editor.user = picks("deny");
  const id = await session();
  await editor.prompt(id, "Water the thyme.");
  expect(existsSync(join(project, "thyme"))).toBe(false);
  expect(editor.text(id, "agent_message_chunk")).toMatch(/denied/);
  expect(editor.kind(id, "tool_call_update").at(-1)).toMatchObject({ status: "failed" });
});

test("always keeps a rule, and the same call isn't asked about again", async () => {
  plays("chives", bash("touch chives"));
  editor.user = picks("always");
  await editor.prompt(await session(), "Water the chives.");
  expect(readSettings(journal).permissions).toContainEqual({ tool: "bash", match: "touch chives", decide: "allow" });
  plays("onion", bash("touch chives"));
  const id = await session();
  await editor.prompt(id, "Water the onion.");
  expect(editor.kind(id, "tool_call")).toMatchObject([{ title: "touch chives" }]);
  expect(editor.asked.filter(({ request }) => request.sessionId === id)).toEqual([]);
});

test("a decision that is made elsewhere takes the request back", async () => {
  plays("mint", bash("touch mint"));
  let withdrawn = false;
  editor.user = ({ signal }) =>
    new Promise((resolve) => {
      signal.addEventListener("abort", () => {
        withdrawn = true;
        // Too late: it counts for nothing.
        resolve({ outcome: { outcome: "selected", optionId: "deny" } });
      });
    });
  const id = await session();
  const answered = editor.prompt(id, "Water the mint.");
  await askedOf(editor, id);
  const { document } = await runCortexJson(journal, ["permissions", "list"]);
  const [question] = document["permissions"] as { id: string }[];
  expect(await runCortex(journal, ["permissions", "allow", String(question?.id)])).toMatchObject({ code: 0 });
  expect(await answered).toMatchObject({ stopReason: "end_turn" });
  expect(withdrawn).toBe(true);
  expect(existsSync(join(project, "mint"))).toBe(true);
});

test("an editor that goes away leaves the question to others; another one that loads the session is asked", async () => {
  plays("parsley", bash("touch parsley"));
  const first = await start();
  const id = await first.newSession(project);
  const answered = first.prompt(id, "Water the parsley.").catch(() => null);
  await askedOf(first, id);
  await first.kill();
  await answered;
  const { document } = await runCortexJson(journal, ["permissions", "list"]);
  expect(document["permissions"]).toMatchObject([{ tool: "bash", args: { command: "touch parsley" } }]);
  await using second = await start();
  second.user = picks("allow");
  await second.agent.request("session/load", { sessionId: id, cwd: project, mcpServers: [] });
  await second.until(() => second.text(id, "agent_message_chunk").includes("It said: "), "the run goes on");
  expect(existsSync(join(project, "parsley"))).toBe(true);
});

test("a rule asks about one file, and the text to be written is shown with the question", async () => {
  plays("basil", { tool: "write", args: { path: "asked/basil.md", content: "Pots\n" } });
  editor.user = picks("allow");
  const id = await session();
  await editor.prompt(id, "Note the basil.");
  const { request } = await askedOf(editor, id);
  expect(JSON.stringify(request.toolCall.content)).toContain("Pots");
  expect(readFileSync(join(project, "asked/basil.md"), "utf8")).toBe("Pots\n");
});

test("what a run has done in a worktree is told with the command that takes it over, and its places are there", async () => {
  const plot = join(dirname(project), "plot");
  makeRepository(plot, { "bed.md": "Beans\n" });
  plays("tarragon", { tool: "write", args: { path: "new.md", content: "Tarragon\n" } });
  const id = await editor.newSession(plot);
  await editor.choose(id, "mode", "digger");
  const run = runOf(await editor.prompt(id, "Plant the tarragon."));
  expect(editor.text(id, "agent_thought_chunk")).toContain(
    `1 file is changed in a worktree: cortex changes show ${run}`,
  );
  const [call] = editor.kind(id, "tool_call");
  expect(call?.locations).toEqual([{ path: join(journal, `worktrees/${run}/files/new.md`) }]);
  expect(existsSync(join(plot, "new.md"))).toBe(false);
});
