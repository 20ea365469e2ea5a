import { expect, test } from "vitest";
import { shownSpending, spentAtMost, withTurn } from "../../agents/record/daily-usage.ts";
import { AgentState } from "../../protocol/agents/agent-files.ts";
import { dayOf } from "../../protocol/names/day.ts";
import { nothingSpent } from "../../protocol/runs/spent.ts";
import { spentText } from "../../protocol/agents/spent-text.ts";

const priced = { ...nothingSpent, calls: 1, input_tokens: 1000, cost_usd: 0.5 };
const unpriced = { ...nothingSpent, calls: 1, input_tokens: 1000, unpriced_tokens: 1000 };
const untold = { ...nothingSpent, calls: 1, untold_calls: 1 };
const after = (...turns: (typeof nothingSpent)[]) =>
  turns.reduce((state: { spent?: AgentState["spent"] }, turn) => ({ spent: withTurn(state, turn, 100, "UTC") }), {});
const said = (...turns: (typeof nothingSpent)[]) => spentText(shownSpending(after(...turns), "UTC"));

test("a day's cost is a number where all of it is known, else unknown, with the estimate named", () => {
  expect(said()).toBe("0.0000 USD");
  expect(said(priced, priced)).toBe("1.0000 USD");
  expect(said(unpriced)).toBe("unknown (1000 tokens without a known price; limits use an estimate of 0.1000 USD)");
  expect(said(priced, unpriced)).toBe(
    "0.5000 USD + unknown (1000 tokens without a known price; limits use an estimate of 0.6000 USD)",
  );
  expect(said(untold)).toBe("unknown (calls that reported no tokens; limits use an estimate of 0.0000 USD)");
  expect(shownSpending(after(unpriced, priced), "UTC")).toMatchObject({ spent_today_usd: null });
});

test("a sum kept by an older version was a guess and counts as unknown", () => {
  const state = { spent: { day: dayOf(Date.now(), "UTC"), usd: 0.25 } };
  expect(shownSpending(state, "UTC")).toMatchObject({ spent_today_usd: null, guessed_spent_today_usd: 0.25 });
  expect(shownSpending({ spent: { day: "20250109", usd: 3 } }, "UTC")).toMatchObject({ spent_today_usd: 0 });
});

test("a kept sum that is not a number is more than any limit, and no reason to lose the agent", () => {
  const { spent } = AgentState.pick({ spent: true }).parse({ spent: { day: dayOf(Date.now(), "UTC"), usd: null } });
  expect(spentAtMost({ spent }, "UTC")).toBeGreaterThan(1e12);
  expect(shownSpending({ spent }, "UTC").spent_today_usd).toBe(null);
});
