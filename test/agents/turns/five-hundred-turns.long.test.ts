/** Five hundred turns with a window of 8,000 tokens, over each wire format, with a `kill -9` every twenty. */
import { afterAll, expect, test } from "vitest";
import { planted, startPages, talk } from "./long-talk.ts";
import { dice } from "./dice.ts";

const pages = await startPages();
afterAll(() => pages[Symbol.asyncDispose]());

const window = 8000;

test.each([
  ["anthropic", "claude-haiku-4-5"],
  ["google", "gemini-2.5-flash"],
  ["responses", "gpt-4.1-mini"],
  ["chat", "m-1"],
] as const)(
  "500 turns over the format of %s end well, and what was said at the third is known at the last",
  async (wire, model) => {
    const config = { model, context_window: { [model]: window } };
    const { answer, kills, refused, summaries, spent } = await talk(
      { wire, config, windowOf: () => window, random: dice(wire.length) },
      pages,
    );
    expect(answer).toContain("Turn 500 is done.");
    expect(answer).toContain(planted);
    expect(kills).toBeGreaterThan(15);
    expect(summaries).toBeGreaterThan(10);
    expect(refused).toBe(0);
    if (wire === "chat") expect(spent.unpriced_tokens).toBeGreaterThan(0);
    else expect([spent.cost_usd > 0, spent.unpriced_tokens]).toEqual([true, 0]);
  },
  170_000,
);
