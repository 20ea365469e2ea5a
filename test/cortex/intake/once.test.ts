/** An id stands for one request: the same again starts nothing, another one is refused, and no file is ever overwritten. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { CortexSystem, fixtureAgents } from "../../support/cortex-system.ts";

const system = await CortexSystem.start({ settings: fixtureAgents("scripted") });
afterAll(() => system[Symbol.asyncDispose]());

/** Publishes something again, with an answer, so that cortex is known to have read it. */
const again = (id: string, fields: Record<string, unknown>) => system.answerTo({ ts: Number(id), ...fields });

test.concurrent("the same request again, running or ended, starts nothing and leaves its file as it is", async () => {
  const [births, go] = [join(system.journal, "births-same"), join(system.journal, "go-same")];
  const prompt = JSON.stringify([{ touch: births }, { ev: { event: "text", text: "born" } }, { await: go }]);
  const id = system.request({ prompt, persona: "default", tools: ["read", "grep"] });
  await system.heard(id, "text");
  const accepted = { accepted: true, agent_id: id };
  expect(await again(id, { prompt, persona: "default", tools: ["read", "grep"] })).toEqual(accepted);
  // The same content: nulls and event are dropped, keys sorted.
  expect(
    await again(id, { tools: ["read", "grep"], event: "request", model: null, prompt, persona: "default" }),
  ).toEqual(accepted);
  writeFileSync(go, "");
  await system.settled(id);
  const bytes = system.bytes(id);
  expect(await again(id, { persona: "default", tools: ["read", "grep"], prompt })).toEqual(accepted);
  expect(system.bytes(id)).toBe(bytes);
  expect(readFileSync(births, "utf8").trim().split("\n")).toHaveLength(1);
  expect(system.of(id)).toEqual(system.file(id));
});

test.concurrent("another request with the id of a running or an ended one is refused, byte for byte without a trace", async () => {
  const go = join(system.journal, "go-other");
  const id = system.steps([{ ev: { event: "text", text: "mine" } }, { await: go }]);
  await system.heard(id, "text");
  const refusal = { reason: "duplicate_id", request: { prompt: "somebody else", env: { KEY: "***" } } };
  const other = { prompt: "somebody else", env: { KEY: "secret" } };
  expect(await again(id, other)).toMatchObject(refusal);
  writeFileSync(go, "");
  await system.settled(id);
  const bytes = system.bytes(id);
  const answer = await again(id, other);
  expect(answer).toMatchObject(refusal);
  expect(answer["error"]).toContain(id);
  expect(JSON.stringify(answer)).not.toContain("secret");
  expect(system.bytes(id)).toBe(bytes);
  expect(bytes).not.toContain("somebody else");
});

test.concurrent("an order of tools, a type or a null deeper inside make another request", async () => {
  const id = system.request({ prompt: "hello", tools: ["read", "grep"], x: { y: null } });
  await system.settled(id);
  for (const fields of [
    { tools: ["grep", "read"], x: { y: null } },
    { tools: "read, grep", x: { y: null } },
    { tools: ["read", "grep"], x: {} },
  ])
    expect(await again(id, { prompt: "hello", ...fields })).toMatchObject({ reason: "duplicate_id" });
});

test.concurrent("the file of a run of which only the file is left is kept all the same", async () => {
  mkdirSync(join(system.journal, "runs/20250110"), { recursive: true });
  const path = join(system.journal, "runs/20250110/1736500000000.jsonl");
  const stamp = { ts: 1736500000000, agent_id: "1736500000000" };
  const text = [
    { event: "request", ...stamp, seq: 1, prompt: "old", env: { KEY: "***" } },
    { event: "finish", ...stamp, seq: 2, result: "old" },
  ];
  const bytes = text.map((line) => `${JSON.stringify(line)}\n`).join("");
  writeFileSync(path, bytes);
  expect(await again("1736500000000", { prompt: "new" })).toMatchObject({ reason: "duplicate_id" });
  expect(readFileSync(path, "utf8")).toBe(bytes);
  expect(existsSync(join(system.journal, "runs/20250110/1736500000000_active.jsonl"))).toBe(false);
});
