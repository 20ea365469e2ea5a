/** Usage of a turn, as agents tell it beside the protocol: in the answer to a prompt. */
import { z } from "zod";
import { mostTokens } from "../../protocol/events/usage.ts";

const Tokens = z.number().int().nonnegative().max(mostTokens).nullish();

/** The draft of the protocol's own; claude-agent-acp, codex-acp and opencode follow it. */
const Usage = z.object({
  inputTokens: Tokens,
  cachedReadTokens: Tokens,
  outputTokens: Tokens,
  thoughtTokens: Tokens,
});
/** Gemini CLI's. */
const Quota = z.object({ quota: z.object({ token_count: z.object({ input_tokens: Tokens, output_tokens: Tokens }) }) });

export type TurnUsage = {
  input_tokens: number;
  cached_input_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
};

/** The usage in the answer to a prompt; null: it doesn't say any. */
export function turnUsage(answer: { usage?: unknown; _meta?: unknown }): TurnUsage | null {
  const usage = Usage.safeParse(answer.usage).data;
  if (usage) {
    const cached = usage.cachedReadTokens ?? 0;
    return {
      input_tokens: (usage.inputTokens ?? 0) + cached,
      cached_input_tokens: cached,
      output_tokens: usage.outputTokens ?? 0,
      reasoning_tokens: usage.thoughtTokens ?? 0,
    };
  }
  const counted = Quota.safeParse(answer._meta).data?.quota.token_count;
  if (!counted) return null;
  const { input_tokens, output_tokens } = counted;
  return {
    input_tokens: input_tokens ?? 0,
    cached_input_tokens: 0,
    output_tokens: output_tokens ?? 0,
    reasoning_tokens: 0,
  };
}

/** Both together. */
export const sumOfTurns = (a: TurnUsage | null, b: TurnUsage | null): TurnUsage | null =>
  a && b
    ? {
        input_tokens: a.input_tokens + b.input_tokens,
        cached_input_tokens: a.cached_input_tokens + b.cached_input_tokens,
        output_tokens: a.output_tokens + b.output_tokens,
        reasoning_tokens: a.reasoning_tokens + b.reasoning_tokens,
      }
    : (a ?? b);
