import { expect, test } from "vitest";
import { type ConfiguredModels, roomOf, summaryModelOf } from "../../../workspace/context/configured-models.ts";

const models: ConfiguredModels = { defaultBackend: "anthropic", defaultModels: {}, windows: {}, summary: undefined };
const sonnet = { backend: null, model: "claude-sonnet-4-5" };
const haiku = { backend: null, model: "claude-haiku-4-5" };
const config = { max_tokens: 100, tools: [] };

test("the window is the settings', else the price list's, else a usual one", async () => {
  const windowOf = async (model: string | null, more: Partial<ConfiguredModels> = {}) =>
    (await roomOf({ ...config, backend: null, model }, { ...models, ...more }, 1000)).window;
  expect(await windowOf("claude-sonnet-4-5", { windows: { "claude-sonnet-4-5": 5000 } })).toBe(5000);
  expect(await windowOf("gpt-4")).toBe(200_000);
  expect(await windowOf("gpt-4", { defaultBackend: "openai" })).toBe(8192);
  expect(await windowOf(null, { defaultBackend: "openai", defaultModels: { openai: "gpt-4" } })).toBe(8192);
  expect(await windowOf("of-nobody")).toBe(200_000);
});

test("the model that sums up is the settings', else the cheapest of the agents' and the settings'", async () => {
  const anthropic = { backend: "anthropic", model: "claude-haiku-4-5" };
  expect(await summaryModelOf(sonnet, [sonnet, haiku], models)).toEqual(anthropic);
  const ofSettings = { ...models, defaultModels: { anthropic: "claude-haiku-4-5" } };
  expect(await summaryModelOf(sonnet, [], ofSettings)).toEqual(anthropic);
  const named = { ...models, summary: { backend: "openai", model: "gpt-5-nano" } };
  expect(await summaryModelOf(sonnet, [haiku], named)).toEqual({ backend: "openai", model: "gpt-5-nano" });
});

test("a backend that can't answer in a workspace sums nothing up, however cheap its model is", async () => {
  const cheap = { ...models, defaultModels: { claude: "claude-3-haiku-20240307" } };
  const expected = { backend: "anthropic", model: "claude-sonnet-4-5" };
  expect(await summaryModelOf(sonnet, [{ backend: "claude", model: "claude-haiku-4-5" }], cheap)).toEqual(expected);
});

test("the agent's own model sums up where nobody knows a price", async () => {
  const own = { backend: "my-own", model: "mine" };
  expect(await summaryModelOf(own, [{ backend: "my-own", model: "other" }], models)).toEqual(own);
});
