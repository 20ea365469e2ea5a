/** Parameters that a model has refused, and that later calls leave out. Models differ, and their names don't say how. */
import type { ModelCall } from "../provider/provider.ts";
import { type ReasoningBlock, sealOf } from "./reasoning-block.ts";

/*
 * Each row is a parameter that some models take and others refuse with status 400. It is sent as asked first; a refusal of
 * exactly that parameter changes the row, once, and the call is made again. Everything else is a failure of the run.
 *
 * - Thinking: older models take a budget alone, newer ones `adaptive` alone, some neither; a few can't be told not to think.
 * - Temperature: newer models take none.
 * - `max_tokens`: each model has its maximum, which the refusal names. Lowered where the number was ours, not the user's.
 * - Reasoning: newer models sign it together with everything before it. A continued run has another date in its system prompt,
 *   perhaps other tools, so what former runs reasoned is refused. A block alone can't be left out, since those after it would
 *   be refused then; all that the refused request held are.
 * - Search: some models, organizations and servers that speak the dialect have none. Former searches are refused where another
 *   key made them: all that the refused request held are left out then, and new ones are made.
 */
export class UnsupportedParameters {
  thinking: "asked" | "adaptive" | "unset" = "asked";
  search: "asked" | "none" = "asked";
  hasTemperature = true;
  maxTokens = Number.POSITIVE_INFINITY;
  readonly #refused = new Set<string>();

  acceptsSearch = (id: string): boolean => !this.#refused.has(id);

  acceptsReasoning = (block: ReasoningBlock): boolean => !this.#refused.has(sealOf(block));

  /** Learns from a refusal with status 400. Whether the call is worth making again. */
  learn(refusal: string, call: ModelCall, reasoning: readonly ReasoningBlock[], searches: readonly string[]): boolean {
    const namesSearch = /web.?search|server.?tool|encrypted_(content|index)/i.test(refusal);
    if (call.search && this.search !== "none" && (namesSearch || /^tools\.\d+/.test(refusal))) {
      if (searches.length > 0 && refusal.startsWith("messages.")) for (const id of searches) this.#refused.add(id);
      else this.search = "none";
      return true;
    }
    if (/^messages\.|thinking` blocks/.test(refusal)) {
      if (!/`?(redacted_)?thinking`? block|bound to a different conversation/.test(refusal)) return false;
      for (const block of reasoning) this.#refused.add(sealOf(block));
      return reasoning.length > 0;
    }
    const most = /max_tokens: \d+ > (\d+), which is the maximum/.exec(refusal)?.[1];
    if (most !== undefined) {
      if (call.max_tokens !== undefined || Number(most) >= this.maxTokens) return false;
      this.maxTokens = Number(most);
      return true;
    }
    if (/\btemperature\b/.test(refusal) && /deprecated|not (supported|permitted)|unsupported/.test(refusal)) {
      const isNews = this.hasTemperature && call.temperature !== undefined;
      this.hasTemperature = false;
      return isNews;
    }
    if (
      /\bthinking\b/.test(refusal) &&
      /not (supported|permitted)|unsupported|does not support|cannot be/.test(refusal)
    ) {
      if (call.thinking_budget === undefined || this.thinking === "unset") return false;
      this.thinking = this.thinking === "asked" && call.thinking_budget > 0 ? "adaptive" : "unset";
      return true;
    }
    return false;
  }
}
