/** A request's own conversation: what was said before its prompt, where no run has it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { RunConfig } from "../../../protocol/runs/run-config.ts";
import { CortexSystem, fixtureAgents } from "../../support/cortex-system.ts";
import { filesWith } from "../../support/files/files-with.ts";
import { noisyPng } from "../../support/files/sample-files.ts";

const system = await CortexSystem.start({
  settings: { ...fixtureAgents("scripted"), attachments: { kinds: ["image/*"] } },
  files: {
    "personas/usual.txt": "Be usual.",
    "personas/hands-on.txt": "Hand on.",
    "personas/hands-on.json": '{"handoff": {"persona": "usual", "prompt": "[{\\"config\\":true}]"}}',
  },
});
afterAll(() => system[Symbol.asyncDispose]());

const config = [{ config: true as const }];
const conversation = [
  { role: "user", text: "[Ada]: hello" },
  { role: "user", text: "[Ben]: hello, too" },
  { role: "assistant", text: "Hello, both." },
];
const toldTo = async (id: string): Promise<RunConfig> => {
  const file = await system.settled(id);
  return JSON.parse(String(file.find(({ event }) => event === "finish")?.["result"]));
};

test.concurrent("a request's conversation is the history of its run, in its order and with its roles", async () => {
  const id = system.steps(config, { conversation });
  expect(await toldTo(id)).toMatchObject({ history: conversation, prompt: JSON.stringify(config) });
  expect(await toldTo(id)).not.toHaveProperty("conversation");
  expect(system.file(id)[0]).toMatchObject({ event: "request", conversation });
});

test.concurrent("a run that continues from it has what was said before it, once", async () => {
  const first = system.request({ prompt: "one", conversation });
  await system.settled(first);
  const said = [...conversation, { role: "user", text: "one" }, { role: "assistant", text: "echo: one" }];
  const second = system.request({ prompt: "two", continue_from: first });
  await system.settled(second);
  const { history } = await toldTo(system.steps(config, { continue_from: second }));
  expect(history).toEqual([...said, { role: "user", text: "two" }, { role: "assistant", text: "echo: two" }]);
});

test.concurrent("a later attempt is told the conversation once, before what the former one did", async () => {
  const go = join(system.journal, "go-on");
  const steps = [{ ev: { event: "text", text: "working" } }, { await: go }, ...config];
  const id = system.steps(steps, { conversation });
  await system.heard(id, "text");
  system.killAttempt(id, 1);
  await system.until(() => system.of(id).filter(({ event }) => event === "start").length === 2, "attempt 2");
  writeFileSync(go, "");
  const { history, attempt } = await toldTo(id);
  expect(attempt).toBe(2);
  const prompt = { role: "user", text: JSON.stringify(steps) };
  expect(history).toEqual([...conversation, prompt, { role: "assistant", text: "working" }]);
});

test.concurrent("a later attempt is told the conversation also when the former one came to nothing", async () => {
  const go = join(system.journal, "go-nothing");
  const id = system.steps([{ await: go }, ...config], { conversation });
  await system.until(() => system.attemptPids(id, 1).length > 0, "attempt 1");
  system.killAttempt(id, 1);
  writeFileSync(go, "");
  expect(await toldTo(id)).toMatchObject({ attempt: 2, history: conversation });
});

test.concurrent("whoever is handed on to isn't told the conversation", async () => {
  const id = system.request({ prompt: "one", persona: "hands-on", conversation });
  const file = await system.closed(id);
  const to = String(file.find(({ event }) => event === "handoff")?.["to"]);
  const child = await toldTo(to);
  expect(child).toMatchObject({ persona: "usual", history: [] });
  expect(system.file(to)[0]).not.toHaveProperty("conversation");
});

test.concurrent("an instruction with a conversation takes the persona's place; without one it doesn't", async () => {
  const fields = { persona: "usual", instruction: "Be Coder." };
  expect(await toldTo(system.steps(config, { ...fields, conversation: [] }))).toMatchObject({
    instruction: "Be Coder.",
    history: [],
  });
  expect(await toldTo(system.steps(config, fields))).toMatchObject({ instruction: "Be usual." });
});

test.concurrent("files of a conversation reach the agent as references, and their bytes stand in the store alone", async () => {
  const content = noisyPng(60);
  const data = content.toString("base64");
  const said = [{ role: "user", text: "[Ada]: look", attachments: [{ name: "plan.png", data }] }];
  const first = system.steps(config, { conversation: said });
  const part = { type: "file", name: "plan.png", mime: "image/png", size: content.length };
  expect((await toldTo(first)).history).toMatchObject([{ role: "user", text: "[Ada]: look", parts: [part] }]);
  const later = await toldTo(system.steps(config, { continue_from: first }));
  expect(later.history?.[0]).toMatchObject({ text: "[Ada]: look", parts: [part] });
  expect(filesWith(join(system.journal, "runs"), data.slice(0, 200))).toEqual([]);
});

test.concurrent("a file of a conversation that can't be taken any more is left out, and said", async () => {
  mkdirSync(join(system.journal, "20250109"), { recursive: true });
  writeFileSync(join(system.journal, "20250109/notes.txt"), "of a kind that isn't taken");
  const attachments = [{ id: "ab".repeat(32), name: "gone.png" }, { path: "20250109/notes.txt" }];
  const id = system.steps(config, { conversation: [{ role: "user", text: "[Ada]: look", attachments }] });
  expect((await toldTo(id)).history).toEqual([
    { role: "user", text: "[Ada]: look\n\n(2 of its files can't be shown.)" },
  ]);
  const notes = system.file(id).filter(({ event }) => event === "info");
  expect(notes.map(({ message }) => message)).toEqual([
    expect.stringContaining('conversation[0]: attachments[0] "gone.png" can\'t be taken'),
    expect.stringContaining("notes.txt"),
  ]);
});

test.concurrent("the same request with a conversation is the same, also where its file alone is left to tell", async () => {
  const attachments = [{ name: "a.png", data: "***" }];
  const part = { type: "file", id: "ab".repeat(32), name: "a.png", mime: "image/png", size: 9 };
  const stamp = { ts: 1736500000000, agent_id: "1736500000000" };
  const said = { role: "user", text: "look", attachments };
  const lines = [
    { event: "request", ...stamp, seq: 1, prompt: "one", conversation: [{ ...said, parts: [part] }] },
    { event: "finish", ...stamp, seq: 2, result: "done" },
  ];
  mkdirSync(join(system.journal, "runs/20250110"), { recursive: true });
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  writeFileSync(join(system.journal, "runs/20250110/1736500000000.jsonl"), text);
  const request = { ts: stamp.ts, prompt: "one", conversation: [said] };
  expect(await system.answerTo(request)).toMatchObject({ accepted: true });
  const other = { ...request, conversation: [{ ...said, text: "look again" }] };
  expect(await system.answerTo(other)).toMatchObject({ reason: "duplicate_id" });
});

test.concurrent.each([
  [
    "together with continue_from",
    { conversation: [], continue_from: "1736380800000" },
    "either conversation or continue_from",
  ],
  ["with another role", { conversation: [{ role: "system", text: "obey" }] }, "conversation.0.role"],
  ["with a field that nobody knows", { conversation: [{ role: "user", text: "x", parts: [] }] }, "parts"],
  ["of too many messages", { conversation: Array.from({ length: 2001 }, () => ({ role: "user", text: "x" })) }, "2000"],
  ["of something else than messages", { conversation: "hello" }, "conversation"],
])("a conversation %s is refused", async (_, fields, said) => {
  const answer = await system.answerTo({ prompt: "x", ...fields });
  expect(answer).toMatchObject({ reason: "invalid", error: expect.stringContaining(said) });
});
