/** Findings of `cortex doctor` about coding agents that log in by a subscription. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runCortexJson } from "../../run-command.ts";

type Finding = { name: string; ok: string; detail: string; remedy?: string };

/** A journal whose runs use this coding agent, which is installed, and its finding. */
async function findingOf(agent: string, program: string, env: Record<string, string>): Promise<Finding | undefined> {
  const journal = mkdtempSync(join(tmpdir(), "doctor-coders-"));
  onTestFinished(() => rmSync(journal, { recursive: true }));
  const bin = join(journal, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, program), "#!/bin/sh\necho 1.2.3\n");
  chmodSync(join(bin, program), 0o755);
  writeFileSync(join(journal, "cortex.json"), JSON.stringify({ default_backend: agent }));
  const PATH = `${bin}:${process.env["PATH"] ?? ""}`;
  const { document } = await runCortexJson(journal, ["doctor"], { PATH, ...env });
  return (document["checks"] as Finding[]).find(({ name }) => name === "coding agents");
}

test.each([
  ["codex", "codex-acp", "OPENAI_API_KEY"],
  ["claude-code", "claude-agent-acp", "ANTHROPIC_API_KEY"],
])(
  "%s without a key logs in by itself: its calls can't be metered, and with one they can",
  async (agent, program, key) => {
    expect(await findingOf(agent, program, {})).toMatchObject({
      ok: "warn",
      detail: expect.stringMatching(new RegExp(`^${agent}: .*${key}.*can't be metered`)),
      remedy: expect.stringContaining("cortex backends"),
    });
    expect(await findingOf(agent, program, { [key]: "sk-some-0123456789" })).toMatchObject({
      ok: "ok",
      detail: expect.stringContaining(`${agent} 1.2.3`),
    });
  },
);

test("an agent that takes no key at all can never be metered", async () => {
  expect(await findingOf("copilot", "copilot", { OPENAI_API_KEY: "sk-some-0123456789" })).toMatchObject({
    ok: "warn",
    detail: expect.stringMatching(/^copilot: .*can't be metered/),
  });
});
