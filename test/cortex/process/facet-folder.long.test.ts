/** Runs of a backend that works in its facet's folder: the whole way from the request to Claude Code and back. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { CortexSystem } from "../../support/cortex-system.ts";
import { playClaudeApi } from "../../support/providers/claude-api.ts";

const key = "sk-ant-test-0123456789abcdef";
const notes = "facets/garden/notes.md";
const calls = [
  { tool: "Read", args: { file_path: "notes.md" } },
  { tool: "Read", args: { file_path: "../kitchen/notes.md" } },
  { tool: "Write", args: { file_path: "plan.md", content: "Tulips." } },
];
const server = await playClaudeApi([
  { turn: { calls } },
  { turn: { text: `Done, ${key}.` } },
  { turn: { text: "Again." } },
  { silent: true },
]);
const system = await CortexSystem.start({
  env: { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: server.url },
  files: {
    "facets/garden/facet.json": '{"title":"The garden"}',
    "facets/kitchen/facet.json": "{}",
    "facets/kitchen/notes.md": "salt",
    [notes]: "roses",
  },
});
afterAll(async () => {
  await system[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});
const claude = (fields: Record<string, unknown>) => system.request({ prompt: "hello", backend: "claude", ...fields });

test("a run works in its facet's folder, which stays; a later one resumes it, and the key is in none of its files and events", async () => {
  const id = claude({ facet: "garden" });
  const file = await system.settled(id);
  const ends = file.filter(({ event }) => event === "tool_end");
  // Reads go on at the same time.
  expect(ends.toSorted((a, b) => String(a["call_id"]).localeCompare(String(b["call_id"])))).toMatchObject([
    { tool: "Read", is_error: false, result: expect.stringContaining("roses") },
    { tool: "Read", is_error: true },
    { tool: "Write", is_error: false },
  ]);
  expect(file.findLast(({ event }) => event === "finish")).toMatchObject({ result: "Done, ***." });
  expect(readFileSync(join(system.journal, notes), "utf8")).toBe("roses");
  expect(readFileSync(join(system.journal, "facets/garden/plan.md"), "utf8")).toBe("Tulips.");

  const next = await system.settled(claude({ facet: "garden", continue_from: id, prompt: "and?" }));
  expect(next.findLast(({ event }) => event === "finish")).toMatchObject({ result: "Again." });
  expect(JSON.stringify(server.requests.at(-1)?.body)).toMatch(/hello.*plan\.md.*and\?/);
  expect(server.refusals).toEqual([]);
  expect(existsSync(join(system.journal, notes))).toBe(true);
  for (const place of [JSON.stringify(system.events), system.bytes(id), system.log]) expect(place).not.toContain(key);
});

test("cancelled while the provider is silent, it leaves no process and the folder as it was", async () => {
  const heard = server.requests.length;
  const id = claude({ facet: "kitchen" });
  await system.until(() => server.requests.length > heard, "the model is asked");
  system.cancel(id);
  const file = await system.settled(id);
  expect(file.at(-1)).toMatchObject({ event: "error", reason: "cancelled" });
  expect(readFileSync(join(system.journal, "facets/kitchen/notes.md"), "utf8")).toBe("salt");
});

test("a run without a facet says so", async () => {
  const file = await system.settled(claude({}));
  expect(file.at(-1)).toMatchObject({
    event: "error",
    error: "the claude backend works in a facet's folder: give one with --facet",
    reason: "config",
  });
});
