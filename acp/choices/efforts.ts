/** The efforts that a session can choose, and the tokens for reasoning that each stands for. Pure. */
import { asPersonaSays } from "./models.ts";

/** Tokens; where a provider takes an effort instead, these are the same words (`backends/openai/endpoint/effort.ts`). */
const budgets: Record<string, number> = { none: 0, low: 2_048, medium: 8_192, high: 24_576 };

export const effortValues: readonly string[] = [asPersonaSays, ...Object.keys(budgets)];

/** The field of a request for an effort. */
export function effortFields(value: string): { thinking_budget?: number } {
  const thinking_budget = budgets[value];
  return thinking_budget === undefined ? {} : { thinking_budget };
}
