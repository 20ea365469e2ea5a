/** How coding agents that are known by name are set up for a run. */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { agentSetup } from "../../../backends/acp/agent-setup.ts";
import { RunConfig } from "../../../protocol/runs/run-config.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "agent-setup-"));
});
afterEach(() => rmSync(home, { recursive: true }));

const setUp = (backend: string, environment: Record<string, string>, more: Record<string, unknown> = {}) =>
  agentSetup(RunConfig.parse({ prompt: "hello", backend, ...more }), { HOME: home, ...environment });

const own = (name: string) => join(home, ".local/share/cortex/agents", name);

test.each([
  ["claude-code", "ANTHROPIC_API_KEY", "CLAUDE_CONFIG_DIR"],
  ["codex", "OPENAI_API_KEY", "CODEX_HOME"],
  ["gemini-cli", "GEMINI_API_KEY", "GEMINI_CLI_HOME"],
])(
  "with a key, what %s keeps stands apart from the user's; without one it finds the user's login",
  (name, key, variable) => {
    expect(setUp(name, {}).env[variable]).toBeUndefined();
    expect(setUp(name, { [key]: "token" }).env[variable]).toBe(own(name));
    expect(statSync(own(name)).mode & 0o777).toBe(0o700);
    const elsewhere = join(home, "data");
    const moved = setUp(name, { [key]: "token", XDG_DATA_HOME: elsewhere });
    expect(moved.env[variable]).toBe(join(elsewhere, "cortex/agents", name));
  },
);

test("Codex asks the run's address by the run's key, and keeps to its own sandbox where there is no wall", () => {
  const environment = { OPENAI_API_KEY: "token", OPENAI_BASE_URL: "http://127.0.0.1:1/openai/v1" };
  const { env, mode, needsOwnProc } = setUp("codex", environment, { model: "gpt-5.5" });
  expect([mode, needsOwnProc]).toEqual(["workspace-write", true]);
  expect(JSON.parse(env["CODEX_CONFIG"] ?? "")).toMatchObject({
    model: "gpt-5.5",
    model_provider: "cortex",
    model_providers: { cortex: { base_url: "http://127.0.0.1:1/openai/v1", env_key: "OPENAI_API_KEY" } },
  });
  expect(JSON.stringify(env)).not.toContain('"token"');
  const walled = setUp("codex", environment, { acp: { command: ["codex-acp"], is_walled: true } });
  expect([walled.mode, walled.needsOwnProc]).toEqual(["agent-full-access", false]);
});

test("opencode has the providers that the run has keys of, and none that its user is logged in to", () => {
  const { env } = setUp("opencode", { ANTHROPIC_API_KEY: "token", ANTHROPIC_BASE_URL: "http://127.0.0.1:1/anthropic" });
  expect(JSON.parse(env["OPENCODE_CONFIG_CONTENT"] ?? "")).toMatchObject({
    enabled_providers: ["anthropic"],
    provider: {
      anthropic: { options: { apiKey: "{env:ANTHROPIC_API_KEY}", baseURL: "http://127.0.0.1:1/anthropic/v1" } },
    },
    permission: { edit: "ask", bash: "ask", webfetch: "ask", external_directory: "ask" },
  });
  expect(JSON.parse(setUp("opencode", {}).env["OPENCODE_CONFIG_CONTENT"] ?? "")).not.toHaveProperty(
    "enabled_providers",
  );
});

test("Gemini CLI logs in by the run's key, and an agent that isn't known by name gets nothing of ours", () => {
  expect(setUp("gemini-cli", { GEMINI_API_KEY: "token" }).login).toBe("gemini-api-key");
  expect(setUp("gemini-cli", {}).login).toBeUndefined();
  expect(setUp("mine", { GEMINI_API_KEY: "token" })).toEqual({ env: {} });
});
