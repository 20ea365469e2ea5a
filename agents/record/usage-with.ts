/** The usage of an agent, of its day and of its conversation, with that of one more run: a summary, a title, a turn that was put away. */
import type { AgentState } from "../../protocol/agents/agent-files.ts";
import { defaultUnknownPriceUsd, type Spent } from "../../protocol/runs/spent.ts";
import { withUsage } from "./accounts.ts";
import type { AgentRecord } from "./agent-record.ts";
import { withTurn } from "./daily-usage.ts";

/** @param isOn whether the run was of the present conversation: that may have been reset meanwhile */
export function usageWith(
  { state, deps }: AgentRecord,
  spent: Spent,
  isOn: boolean,
): Pick<AgentState, "accounts" | "spent"> {
  const price = deps.settings().budgets?.unknown_price_usd ?? defaultUnknownPriceUsd;
  return {
    spent: withTurn(state, spent, price, deps.timeZone),
    accounts: isOn ? withUsage(state.accounts, spent) : state.accounts,
  };
}
