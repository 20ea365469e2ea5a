import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { errorBody, startAnthropic } from "../../../support/providers/anthropic.ts";
import { runCortex, runCortexJson } from "../../run-command.ts";

const key = "sk-models-0123456789";
const models = {
  status: 200,
  body: {
    data: [{ type: "model", id: "claude-a", display_name: "A", lifecycle: "active" }],
    has_more: false,
    first_id: null,
    last_id: null,
  },
};
const unpriced = { model: "claude-a", context_window: null, input_usd: null, output_usd: null };
const refused = { status: 401, body: errorBody("authentication_error", `invalid x-api-key: ${key}`) };

let journal: string;
beforeAll(() => {
  journal = mkdtempSync(join(tmpdir(), "cortex-models-"));
  writeFileSync(join(journal, "cortex.json"), JSON.stringify({ default_model: { anthropic: "claude-a" } }));
});
afterAll(() => rmSync(journal, { recursive: true }));

const environmentOf = ({ url }: { url: string }) => ({ ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: url });

test("each configured provider is asked, and the default model is marked", async () => {
  await using played = await startAnthropic([models, models]);
  const { code, document } = await runCortexJson(journal, ["models"], environmentOf(played));
  expect(code).toBe(0);
  expect(document).toEqual({
    backends: [{ backend: "anthropic", default_model: "claude-a", ok: true, models: [unpriced] }],
  });
  const { stdout } = await runCortex(journal, ["models"], environmentOf(played));
  expect(stdout).toMatch(/^✓ anthropic: 1 models\n.*\n *claude-a +unknown +unknown +default$/);
});

test("a refused key is told, without the key, and exits 1", async () => {
  await using played = await startAnthropic([refused]);
  const { code, stdout, stderr } = await runCortex(journal, ["models", "anthropic"], environmentOf(played));
  expect(code).toBe(1);
  expect(stdout).toContain("✗ anthropic: anthropic refused the key (401): check ANTHROPIC_API_KEY");
  expect(stdout + stderr).not.toContain(key);
});

test("models says without any key which variables there are", async () => {
  const { code, stdout } = await runCortex(journal, ["models"]);
  expect(code).toBe(0);
  expect(stdout).toContain("no provider is configured: set one of ANTHROPIC_API_KEY");
});

test("a backend without a list is refused with those that have one", async () => {
  const { code, stderr } = await runCortex(journal, ["models", "offline"]);
  expect(code).toBe(2);
  expect(stderr).toContain('"offline" has no list of models: anthropic, openai, google');
});

test("doctor tries the keys only when it is asked to", async () => {
  await using played = await startAnthropic([refused]);
  const quiet = await runCortexJson(journal, ["doctor"], environmentOf(played));
  expect(played.requests).toEqual([]);
  expect(JSON.stringify(quiet.document)).not.toContain("refused the key");
  const { code, document } = await runCortexJson(journal, ["doctor", "--online"], environmentOf(played));
  expect(code).toBe(2);
  expect(document["checks"]).toContainEqual({
    name: "anthropic",
    ok: "fail",
    detail: "anthropic refused the key (401): check ANTHROPIC_API_KEY. It says: invalid x-api-key: ***",
    remedy: "export ANTHROPIC_API_KEY=…, or unset ANTHROPIC_API_KEY",
  });
});
