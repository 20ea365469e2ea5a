import { describe, expect, test } from "vitest";
import { acpPresets } from "../../../protocol/settings/acp-presets.ts";
import { builtInBackends } from "../../../protocol/settings/backends.ts";
import { conventionsVersion, operations, providers } from "../../../telemetry/conventions/names.ts";
import { providerOf } from "../../../telemetry/spans/described-run.ts";
import { newRun } from "../../../telemetry/spans/open-run.ts";

/** Values of `gen_ai.provider.name` in version 0.1.0 of the conventions. */
const known = [
  "anthropic",
  "aws.bedrock",
  "azure.ai.inference",
  "azure.ai.openai",
  "cohere",
  "deepseek",
  "gcp.gemini",
  "gcp.gen_ai",
  "gcp.vertex_ai",
  "groq",
  "ibm.watsonx.ai",
  "mistral_ai",
  "openai",
  "perplexity",
  "x_ai",
];

const named = (backend: string) => providerOf({ ...newRun(0), backend });

test("these are the names of version 0.1.0", () => {
  expect(conventionsVersion).toBe("0.1.0");
  expect(operations).toEqual({ agent: "invoke_agent", call: "chat", tool: "execute_tool" });
});

describe("the provider of a backend", () => {
  test.each([
    ["anthropic", "anthropic"],
    ["claude", "anthropic"],
    ["claude-code", "anthropic"],
    ["openai", "openai"],
    ["codex", "openai"],
    ["google", "gcp.gemini"],
    ["gemini-cli", "gcp.gemini"],
    ["openrouter", "openrouter"],
    ["offline", "offline"],
    ["my-own", "my-own"],
    ["constructor", "constructor"],
  ])("%s is %s", (backend, provider) => expect(named(backend)).toBe(provider));

  test("has the conventions' name wherever the backend has one seller, and they know it", () => {
    expect(known).toEqual(expect.arrayContaining(Object.values(providers)));
    const names: Record<string, string> = { anthropic: "anthropic", openai: "openai", google: "gcp.gemini" };
    for (const [backend, { seller }] of Object.entries(builtInBackends))
      expect(named(backend), backend).toBe(names[seller ?? ""] ?? backend);
    for (const [preset, { providers: sellers }] of Object.entries(acpPresets)) {
      const seller = sellers.length === 1 ? String(sellers[0]) : "";
      expect(named(preset), preset).toBe(names[seller] ?? preset);
    }
  });
});
