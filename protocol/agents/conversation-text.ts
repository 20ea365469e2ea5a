/** Describes what a conversation has used since it began. Pure. */

export type Accounts = {
  title: string | null;
  messages: number;
  input_tokens: number;
  output_tokens: number;
  /** Its tasks' in it; null: part of it isn't known. */
  cost_usd: number | null;
  known_cost_usd: number;
};

/** @param agent a row of the agents' service, which may be an older one */
export function conversationText(agent: Record<string, unknown> | Accounts): string {
  const of: Record<string, unknown> = agent;
  const count = (key: string) => (typeof of[key] === "number" ? of[key] : 0).toLocaleString("en-US");
  const messages = of["messages"] === 1 ? "1 message" : `${count("messages")} messages`;
  return `${messages}, ${count("input_tokens")} tokens in, ${count("output_tokens")} out, ${costText(of)} with its tasks`;
}

export function costText(agent: Record<string, unknown> | Pick<Accounts, "cost_usd" | "known_cost_usd">): string {
  const { cost_usd: cost, known_cost_usd: known }: Record<string, unknown> = agent;
  if (typeof cost === "number") return `${cost.toFixed(4)} USD`;
  return typeof known === "number" && known > 0 ? `${known.toFixed(4)} USD + unknown` : "unknown";
}
