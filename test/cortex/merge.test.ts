import { expect, test } from "vitest";
import { planRun } from "../../cortex/merge.ts";
import { refusedVariables } from "../../cortex/run-environment.ts";
import type { Request } from "../../protocol/request.ts";
import { Settings } from "../../protocol/settings.ts";

const around = {
  settings: Settings.parse({ openai: { api: "chat" } }),
  persona: { name: "default", instruction: "", settings: {} },
  defaultBackend: "offline",
  timeZone: "UTC",
} as unknown as Parameters<typeof planRun>[2];
const configOf = (request: Partial<Request>) =>
  planRun("1736380800000", { prompt: "hello", ...request } as Request, around).config;

test("the settings of openai reach its runs, and nobody else's", () => {
  expect(configOf({ backend: "openai" })).toMatchObject({ backend: "openai", openai: { api: "chat" } });
  expect(configOf({ backend: "offline" })).not.toHaveProperty("openai");
});

test("a request's own word on it wins", () => {
  expect(configOf({ backend: "openai", openai: { api: "responses" } })).toMatchObject({ openai: { api: "responses" } });
});

test("a request sets no provider's key, whichever provider it is", () => {
  const names = ["OPENAI_API_KEY", "openrouter_api_key", "GEMINI_API_KEY", "GOOGLE_API_KEY", "ANTHROPIC_API_KEY"];
  expect(refusedVariables(Object.fromEntries([...names, "OTHER_API_KEY"].map((name) => [name, "x"])))).toEqual(names);
});
