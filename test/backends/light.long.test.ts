/** A run's process is started for each run, so it must not load what it doesn't need: Node's own `fetch` least of all. */
import { readFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { AgentProcess } from "../support/backends/agent-process.ts";
import { playAnthropic } from "../support/providers/anthropic.ts";
import { playGoogle } from "../support/providers/google.ts";
import { playDialect, playOpenai } from "../support/providers/openai.ts";
import { playOpenrouter } from "../support/providers/openrouter.ts";
import type { Play } from "../support/providers/played.ts";
import { startToolServer } from "../support/tool-server.ts";

const preload = fileURLToPath(new URL("../fixtures/programs/loaded-modules.mjs", import.meta.url));
const ownFetch = /deps\/undici/;

type Row = { name: string; backend: string; play: Play; url: string; key: string; more?: Record<string, unknown> };

const rows: Row[] = [
  { name: "openai, Responses", backend: "openai", play: playOpenai, url: "OPENAI_BASE_URL", key: "OPENAI_API_KEY" },
  { name: "openai, Chat", backend: "openai", play: playDialect({}), url: "OPENAI_BASE_URL", key: "OPENAI_API_KEY" },
  { name: "anthropic", backend: "anthropic", play: playAnthropic, url: "ANTHROPIC_BASE_URL", key: "ANTHROPIC_API_KEY" },
  { name: "google", backend: "google", play: playGoogle, url: "GOOGLE_GEMINI_BASE_URL", key: "GEMINI_API_KEY" },
  {
    name: "openrouter",
    backend: "openrouter",
    play: playOpenrouter,
    url: "OPENROUTER_BASE_URL",
    key: "OPENROUTER_API_KEY",
  },
];

/**
 * Lists what a process had loaded in the end. It waits for its run as it does under cortex, if it is told where to go.
 */
async function loaded(
  env: Record<string, string>,
  args: string[],
  lines: unknown[],
): Promise<{ modules: string; agent: AgentProcess }> {
  const folder = await mkdtemp(join(tmpdir(), "cortex-light-"));
  try {
    const file = join(folder, "modules");
    await using agent = new AgentProcess({ ...env, NODE_OPTIONS: `--import=${preload}`, LOADED_MODULES: file }, args);
    agent.write(...lines).end();
    await agent.exit();
    return { modules: await readFile(file, "utf8"), agent };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test.each(rows)("$name: a run with tools goes without Node's fetch", async ({ name, backend, play, url, key }) => {
  await using tools = await startToolServer();
  const calls = [{ tool: "echo", args: { text: "hi" } }];
  await using server = await play([{ turn: { calls } }, { turn: { text: "Done." } }]);
  const config = {
    prompt: "hello",
    backend,
    model: "m",
    mcp_server_url: tools.url,
    ...(backend === "openai" && { openai: { api: name.includes("Chat") ? "chat" : "responses" } }),
  };
  const env = { [url]: server.url, [key]: "sk-test-0123456789abcdef" };
  const { modules, agent } = await loaded(env, ["--warm", backend], [{ type: "begin", work_folder: tmpdir() }, config]);
  expect(agent.events.at(-1)).toMatchObject({ event: "finish", result: "Done." });
  // So that the list is one at all.
  expect(modules).toMatch(/_http_client/);
  expect(modules).not.toMatch(ownFetch);
  // TLS takes a tenth of a process: not for a provider on this machine.
  expect(modules).not.toMatch(/NativeModule _?tls/);
});

test.each(rows)("$name: a run with neither tools nor files goes without Node's crypto", async (row) => {
  await using server = await row.play([{ turn: { text: "Done." } }]);
  const openai = { api: row.name.includes("Chat") ? "chat" : "responses" };
  const config = {
    prompt: "hello",
    backend: row.backend,
    model: "m",
    disable_mcp: true,
    ...(row.backend === "openai" && { openai }),
  };
  const env = { [row.url]: server.url, [row.key]: "sk-test-0123456789abcdef" };
  const { modules, agent } = await loaded(env, [], [config]);
  expect(agent.events.at(-1)).toMatchObject({ event: "finish", result: "Done." });
  expect(modules).toMatch(/_http_client/);
  // A tenth of a process as well.
  expect(modules).not.toMatch(/NativeModule internal\/crypto\/hash$/m);
});

test("loaded modules are seen: TLS, where the provider is reached over it", async () => {
  const { modules } = await loaded({ OPENAI_API_KEY: "sk-test" }, ["--warm", "openai"], []);
  expect(modules).toMatch(/NativeModule tls/);
  expect(modules).not.toMatch(ownFetch);
});
