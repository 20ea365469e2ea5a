/** Describes the cost of an agent today: unknown is unknown, and a guess is called one. Pure. */
export function spentText(agent: Record<string, unknown>): string {
  const amount = (key: string) => (typeof agent[key] === "number" ? agent[key] : 0);
  const { spent_today_usd: spent } = agent;
  if (typeof spent === "number") return `${spent.toFixed(4)} USD`;
  const tokens = amount("unpriced_tokens_today");
  const why = tokens > 0 ? `${tokens} tokens without a known price` : "calls that reported no tokens";
  const known = amount("known_spent_today_usd");
  const guess = amount("guessed_spent_today_usd");
  const part = known > 0 ? `${known.toFixed(4)} USD + unknown` : "unknown";
  return `${part} (${why}; limits use an estimate of ${guess.toFixed(4)} USD)`;
}
