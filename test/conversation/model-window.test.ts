/** Context windows come from the price list, under the name of each backend's seller. */
import { expect, test } from "vitest";
import { priceOf, windowOf } from "../../conversation/size/model-window.ts";

test("a known model's window is found by the seller of its backend, Claude Code's by Anthropic", async () => {
  const window = await windowOf("anthropic", "claude-sonnet-4-5");
  expect(window).toBeGreaterThan(100_000);
  expect(await windowOf("claude", "claude-sonnet-4-5")).toBe(window);
});

test("an unknown model, and a backend that sells none, have no window", async () => {
  expect(await windowOf("openai", "no-such-model")).toBeUndefined();
  expect(await windowOf("offline", "claude-sonnet-4-5")).toBeUndefined();
  expect(await windowOf("my-own", "claude-sonnet-4-5")).toBeUndefined();
});

test("prices tell which of two models is cheaper, and an unknown one has none", async () => {
  const [haiku, sonnet] = [
    await priceOf("anthropic", "claude-haiku-4-5"),
    await priceOf("anthropic", "claude-sonnet-4-5"),
  ];
  expect(haiku).toBeLessThan(sonnet ?? 0);
  expect(await priceOf("anthropic", "no-such-model")).toBeUndefined();
});
