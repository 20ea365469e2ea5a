import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readSettings } from "../../../journal/config/settings.ts";
import { temporaryJournal } from "../../journal/temporary-journal.ts";

function read(budgets: unknown) {
  using journal = temporaryJournal();
  writeFileSync(join(journal.path, "cortex.json"), JSON.stringify({ budgets }));
  return readSettings(journal.path);
}

test("limits of a day, of all and of single personas, may be set; 0 is a limit", () => {
  const budgets = {
    daily: { max_cost_usd: 5, max_total_tokens: 0 },
    personas: { digest: { daily: { max_cost_usd: 0.5 } }, "app:name": {} },
    unknown_price_usd: 0,
  };
  expect(read(budgets)).toEqual({ budgets });
});

test("a key that nothing knows is refused, with the one that was probably meant, at any depth", () => {
  const budgets = { dayly: {}, personas: { digest: { daily: { max_cost: 1 }, weekly: {} } } };
  expect(() => read(budgets)).toThrow('unknown key "budgets.dayly": did you mean "daily"?');
  expect(() => read(budgets)).toThrow('"budgets.personas.digest.daily.max_cost"');
});

test.each([
  [{ daily: { max_cost_usd: -1 } }, "budgets.daily.max_cost_usd"],
  [{ daily: { max_total_tokens: 0.5 } }, "budgets.daily.max_total_tokens"],
  [{ personas: { "../x": {} } }, "budgets.personas"],
  [{ personas: { digest: { daily: "5" } } }, "budgets.personas.digest.daily"],
  [{ unknown_price_usd: "free" }, "budgets.unknown_price_usd"],
])("%j is refused, and the field is named", (budgets, field) => {
  expect(() => read(budgets)).toThrow(field);
});
