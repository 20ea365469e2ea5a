/** `cortex backends`, and what `cortex doctor` says of coding agents, with programs that say nothing but their version. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ownBin, runCortex, runCortexJson } from "../../run-command.ts";

let journal: string;
let env: Record<string, string>;
beforeEach(() => {
  journal = mkdtempSync(join(tmpdir(), "backends-"));
  const bin = join(journal, "bin");
  mkdirSync(bin);
  env = { PATH: `${bin}:${ownBin}:${process.env["PATH"]}` };
});
afterEach(() => rmSync(journal, { recursive: true }));

function install(program: string, script: string): void {
  const path = join(journal, "bin", program);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

const settings = (value: unknown) => writeFileSync(join(journal, "cortex.json"), JSON.stringify(value));

async function listed(): Promise<Record<string, unknown>> {
  const { code, document } = await runCortexJson(journal, ["backends"], env);
  expect(code).toBe(0);
  const backends = document["backends"] as { name: string }[];
  return Object.fromEntries(backends.map(({ name, ...rest }) => [name, rest]));
}

async function finding(): Promise<unknown> {
  const { document } = await runCortexJson(journal, ["doctor"], env);
  return (document["checks"] as { name: string }[]).find(({ name }) => name === "coding agents");
}

test("each backend has its program, version and key, and what it still needs", async () => {
  install("codex-acp", "echo codex-acp 9.9.9");
  install("gemini", "echo 1.2.3; echo and more");
  install("own-agent", "exit 1");
  settings({
    backends: {
      mine: { acp: ["own-agent"], sandbox: true },
      echo: { command: ["cat"] },
      gone: { command: ["no-cat"] },
    },
  });
  env["OPENAI_API_KEY"] = "sk-secret";
  const backends = await listed();
  expect(Object.keys(backends)).toEqual([
    "anthropic",
    "openai",
    "google",
    "openrouter",
    "claude",
    "offline",
    "mine",
    "echo",
    "gone",
    "codex",
    "gemini-cli",
    "opencode",
    "claude-code",
    "copilot",
    "goose",
    "qwen",
    "pi",
  ]);
  const kept = { key: "OPENAI_API_KEY", metered: true, sandbox: "off", hint: null };
  expect(backends).toMatchObject({
    openai: { ...kept, kind: "built-in", found: true, version: null },
    anthropic: { kind: "built-in", key: null, hint: "set ANTHROPIC_API_KEY where cortex runs" },
    codex: { ...kept, kind: "acp", found: true, version: "codex-acp 9.9.9" },
    "gemini-cli": {
      kind: "acp",
      found: true,
      version: "1.2.3",
      key: null,
      metered: false,
      hint: "without GEMINI_API_KEY it needs a login of its own, whose calls can't be metered",
    },
    opencode: { found: false, version: null, hint: "opencode isn't on the PATH: npm install -g opencode-ai" },
    mine: { ...kept, kind: "acp", found: true, version: null, sandbox: "required" },
    echo: { kind: "command", found: true, version: null },
    gone: { found: false, hint: "no-cat isn't on the PATH: install it, or correct cortex.json" },
  });
  expect(JSON.stringify(backends)).not.toContain("sk-secret");
});

test("for people there is a line each, with a mark for those that can work", async () => {
  install("codex-acp", "printf 'codex \\033[31m1.0'");
  env["OPENAI_API_KEY"] = "sk-secret";
  const { code, stdout } = await runCortex(journal, ["backends"], env);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^✓ codex +acp +codex \[31m1\.0 +OPENAI_API_KEY +before each call +off *$/m);
  expect(stdout).toMatch(
    /^· copilot +acp +not found +- +after each call +off +copilot isn't on the PATH: npm install -g/m,
  );
});

test("doctor fails where a coding agent that is in use isn't there, and says what installs it", async () => {
  expect(await finding()).toMatchObject({ ok: "ok", detail: "none is installed" });
  settings({ default_backend: "opencode" });
  expect(await finding()).toMatchObject({
    ok: "fail",
    detail: "opencode: opencode isn't on the PATH: npm install -g opencode-ai",
    remedy: "cortex backends",
  });
});

test("doctor warns where the calls of a coding agent in use can't be metered, and is content with a key", async () => {
  install("claude-agent-acp", "echo 9.9.9");
  mkdirSync(join(journal, "personas"));
  writeFileSync(join(journal, "personas", "builder.json"), '{"backend": "claude-code"}');
  writeFileSync(join(journal, "personas", "builder.txt"), "Build.");
  expect(await finding()).toMatchObject({
    ok: "warn",
    detail: expect.stringMatching(/^claude-code: without ANTHROPIC_API_KEY it needs a login of its own/),
  });
  env["ANTHROPIC_API_KEY"] = "sk-secret";
  expect(await finding()).toMatchObject({ ok: "ok", detail: "claude-code 9.9.9" });
});

test("doctor warns of a coding agent that takes no key at all", async () => {
  install("copilot", "echo 1.2.3");
  settings({ default_backend: "copilot" });
  env["OPENAI_API_KEY"] = "sk-secret";
  expect(await finding()).toMatchObject({
    ok: "warn",
    detail: "copilot: it logs in by itself: its calls can't be metered",
  });
});
