/** Tests of five hundred turns with a window of 8,000 tokens, and with one that nobody knows, over one wire format. */
import { afterAll, expect, test } from "vitest";
import { dice } from "./dice.ts";
import { planted, startPages, talk, type Wire } from "./long-talk.ts";

const window = 8000;
/** For a machine that others use as well. */
const patienceMs = 600_000;

/** @param model one of whose calls the price is known; null: nothing is sold over this format */
export function testLongTalks(wire: Wire, model: string | null): void {
  let pages: Awaited<ReturnType<typeof startPages>> | undefined;
  const started = async () => (pages ??= await startPages());
  afterAll(async () => pages?.[Symbol.asyncDispose]());

  test(
    "500 turns with a window of 8,000 tokens end well, and what was said at the third is known at the last",
    async () => {
      const name = model ?? "m-1";
      const config = { model: name, context_window: { [name]: window } };
      const random = dice(wire.length);
      const done = await talk({ wire, config, windowOf: () => window, random }, await started());
      expect(done.answer).toContain("Turn 500 is done.");
      expect(done.answer).toContain(planted);
      expect(done.kills).toBeGreaterThan(15);
      expect(done.summaries).toBeGreaterThan(10);
      expect(done.refused).toBe(0);
      if (model === null) expect(done.spent.unpriced_tokens).toBeGreaterThan(0);
      else expect([done.spent.cost_usd > 0, done.spent.unpriced_tokens]).toEqual([true, 0]);
    },
    patienceMs,
  );

  test(
    "500 turns with a window that nobody knows, and that answers at a random size that it was too long, end well",
    async () => {
      const random = dice(wire.length + 1);
      const windows = Array.from({ length: 26 }, () => 2500 + random(6000));
      const windowOf = (turn: number) => windows[Math.floor(turn / 20)] ?? window;
      const done = await talk({ wire, config: { model: "m-1" }, windowOf, random }, await started());
      expect(done.answer).toContain("Turn 500 is done.");
      expect(done.answer).toContain(planted);
      expect(done.kills).toBeGreaterThan(15);
      expect(done.summaries).toBeGreaterThan(10);
      expect(done.refused).toBeGreaterThan(10);
    },
    patienceMs,
  );
}
