import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { StoppedNumbers } from "../../journal/channels/stopped-numbers.ts";
import { state } from "../../journal/config/paths.ts";

const journal = mkdtempSync(join(tmpdir(), "stopped-"));
afterEach(() => rmSync(journal, { recursive: true, force: true }));

test("a number that was stopped is so for whoever opens the list, until it is taken off", async () => {
  const numbers = new StoppedNumbers(journal, "sms");
  await Promise.all([numbers.add("+491700000017"), numbers.add("+491700000018"), numbers.add("+491700000017")]);
  const again = new StoppedNumbers(journal, "sms");
  expect(["+491700000017", "+491700000018", "+491700000019"].map((one) => again.has(one))).toEqual([true, true, false]);
  await again.remove("+491700000017");
  expect(new StoppedNumbers(journal, "sms").has("+491700000017")).toBe(false);
  expect(new StoppedNumbers(journal, "sms").has("+491700000018")).toBe(true);
});

test("a list that can't be read isn't an empty one", () => {
  const path = state(journal, "channels", "sms-stopped.json");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `["+491700000017"]`);
  expect(() => new StoppedNumbers(journal, "sms")).toThrow("isn't a list of stopped numbers");
  writeFileSync(path, "{");
  expect(() => new StoppedNumbers(journal, "sms")).toThrow();
});
