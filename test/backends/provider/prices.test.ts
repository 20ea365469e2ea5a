import { expect, test } from "vitest";
import { costUsd, modelInfo } from "../../../backends/provider/prices.ts";

const usage = { input_tokens: 1000, cached_input_tokens: 0, output_tokens: 100, reasoning_tokens: 0 };

test("a call costs what its tokens cost, and less where the input was cached", async () => {
  const { input_usd, output_usd } = await modelInfo("openai", "gpt-4o");
  const cost = await costUsd("openai", "gpt-4o", usage);
  expect(cost).toBeCloseTo((1000 * (input_usd ?? 0) + 100 * (output_usd ?? 0)) / 1e6, 9);
  const cached = await costUsd("openai", "gpt-4o", { ...usage, cached_input_tokens: 1000 });
  expect(cached).toBeLessThan(cost ?? 0);
});

test("a model that the list doesn't know has no price and no window", async () => {
  expect(await costUsd("openai", "no-such-model", usage)).toBeNull();
  expect(await modelInfo("openai", "no-such-model")).toEqual({
    context_window: null,
    input_usd: null,
    output_usd: null,
  });
});
