/** The settings of a persona as its form shows them: which come first, and what they are called. */

export const firstSettings: readonly string[] = [
  "title",
  "description",
  "model",
  "tools",
  "timeout_seconds",
  "max_cost_usd",
  "save",
];

export const settingLabels: Readonly<Record<string, string>> = {
  title: "Name",
  description: "What it is for",
  model: "Model",
  backend: "Provider",
  tools: "Tools",
  disable_mcp: "Without tools",
  timeout_seconds: "Time limit",
  idle_timeout_seconds: "Longest silence",
  max_cost_usd: "Most it may cost",
  max_total_tokens: "Most tokens",
  max_total_turns: "Most model calls",
  max_total_seconds: "Longest in all",
  max_turns: "Most calls with tools",
  save: "Save the result as",
  handoff: "Hand on to",
  multi_facet: "Once for each facet",
  always: "Also without events",
  missed: "If it was missed",
  text_is_reply: "Its text is its reply",
  task: "May be sent off",
  disabled: "Switched off",
  thinking_budget: "Tokens to think",
  worktree: "In a worktree",
};
