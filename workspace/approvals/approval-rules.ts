/** The members who may decide on a call, and until when, by the rules of the workspace. Pure. */
import { packs, sourceOf } from "../../protocol/settings/packs.ts";
import type { Approval, ApprovalRule, Requires } from "../records/approval.ts";

export type Deciders = { requires: Requires; user_id: string | null; escalatesAfterMs: number | null };

/** Where no rule fits: so long any member may, then an admin. */
const usualTimeoutMs = 3_600_000;

export const anAdmin: Deciders = { requires: "admin", user_id: null, escalatesAfterMs: null };

/**
 * Finds the deciders of a call: escalated ones are for admins, whatever the rules say. Else the first rule that fits
 * counts.
 */
export function decidersOf(rules: readonly ApprovalRule[], tool: string, action: Approval["action"]): Deciders {
  if (action === "escalate") return anAdmin;
  const rule = rules.find((one) => fits(one.action, tool));
  if (!rule) return { requires: "any_member", user_id: null, escalatesAfterMs: usualTimeoutMs };
  const { requires, user_id, timeout_seconds } = rule;
  return { requires, user_id, escalatesAfterMs: requires === "admin" ? null : timeout_seconds * 1000 };
}

function fits(action: string, tool: string): boolean {
  if (action === "*" || action === tool) return true;
  if (Object.hasOwn(packs, action)) return packs[action]?.includes(tool) ?? false;
  return action.endsWith(".*") && action === `${sourceOf(tool)}.*`;
}
