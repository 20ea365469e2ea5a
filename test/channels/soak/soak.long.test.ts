/** A short soak of the channels: `npm run soak -- --channels 10000 --minutes 60` is a long one. */
import { expect, test } from "vitest";
import { patienceMs } from "../../support/patience.ts";
import { problemsOf, soakChannels } from "./channel-soak.ts";
import { playServices } from "./services.ts";

test("what people write by six channels is heard once and answered once, whoever is killed meanwhile", {
  timeout: 5 * patienceMs,
}, async () => {
  const messages = 150;
  const soak = { messages, overMs: 0, faultEveryMs: 2000, giveUpMs: 2 * patienceMs, seed: 3 };
  const { outcomes, faults, broken } = await soakChannels(await playServices(), soak);
  expect(broken).toEqual([]);
  expect(outcomes).toHaveLength(messages);
  expect(Object.keys(faults).filter((what) => what.startsWith("killed "))).not.toEqual([]);
});

test("what is lost, heard twice, or answered twice without a word, is a problem", () => {
  const one = { type: "sms", word: "w", ms: 1, heard: 1, answered: 1, told: false };
  const problems = (outcome: Partial<typeof one>) => problemsOf([{ ...one, ...outcome }]).length;
  expect(problems({})).toBe(0);
  expect(problems({ answered: 0, told: true })).toBe(0);
  expect(problems({ answered: 2, told: true })).toBe(0);
  expect(problems({ heard: 0 })).toBe(1);
  expect(problems({ heard: 2 })).toBe(1);
  expect(problems({ answered: 0 })).toBe(1);
  expect(problems({ answered: 2 })).toBe(1);
});
