/** Five hundred turns with a server whose window nobody knows, and which answers "too long" at a random size. */
import { afterAll, expect, test } from "vitest";
import { planted, startPages, talk } from "./long-talk.ts";
import { dice } from "./dice.ts";

const pages = await startPages();
afterAll(() => pages[Symbol.asyncDispose]());

test.each(["anthropic", "google", "responses", "chat"] as const)(
  "500 turns with a window that nobody knows end well over the format of %s, and what was said at the third is known at the last",
  async (wire) => {
    const random = dice(wire.length);
    const windows = Array.from({ length: 26 }, () => 2500 + random(6000));
    const windowOf = (turn: number) => windows[Math.floor(turn / 20)] ?? 4000;
    const { answer, kills, refused, summaries } = await talk(
      { wire, config: { model: "m-1" }, windowOf, random },
      pages,
    );
    expect(answer).toContain("Turn 500 is done.");
    expect(answer).toContain(planted);
    expect(kills).toBeGreaterThan(15);
    expect(summaries).toBeGreaterThan(10);
    expect(refused).toBeGreaterThan(10);
  },
  170_000,
);
