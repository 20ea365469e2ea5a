/** `thinking_budget` where an API takes an effort rather than a number of tokens. Pure. */

export type Effort = "none" | "low" | "medium" | "high";

/** The least budget of each effort, in tokens. What a model really uses for one varies; this is the order of magnitude. */
const least: [tokens: number, effort: Effort][] = [
  [16_384, "high"],
  [4_096, "medium"],
  [1, "low"],
];

export function effortOf(thinkingBudget: number): Effort {
  return least.find(([tokens]) => thinkingBudget >= tokens)?.[1] ?? "none";
}
