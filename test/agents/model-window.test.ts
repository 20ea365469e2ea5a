/** Context windows come from the price list, under the name of each backend's seller. */
import { expect, test } from "vitest";
import { windowOf } from "../../agents/turns/model-window.ts";

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
