/** The answer of a run or of an agent, as both dialects tell it. */
import { z } from "zod";
import type { AgentEvent } from "../../../protocol/runs/event.ts";

/** The tokens that a model was given and wrote, and their cost in US dollars, null where it isn't known. Absent: nobody knows. */
export type AnswerUsage = { input: number; cached: number; output: number; reasoning: number; costUsd: number | null };

export type AnswerEnd = { text: string; usage: AnswerUsage | null };

/** Disposed of when nobody reads it any more. */
export type DoorAnswer = Disposable & {
  /** The run that answers. */
  run: string;
  /** The text as it comes; returns all of it. To be read once. @throws OpenAiError when the run fails */
  pieces: AsyncGenerator<string, AnswerEnd>;
  /** Stops the run: nobody waits for it any more. */
  cancel: () => void;
};

const Usage = z.looseObject({
  input_tokens: z.number().catch(0),
  cached_input_tokens: z.number().catch(0),
  output_tokens: z.number().catch(0),
  reasoning_tokens: z.number().catch(0),
  cost_usd: z.number().nullable().catch(null),
});

/** The usage of a terminal event, where it tells one. */
export function usageOf({ usage }: AgentEvent): AnswerUsage | null {
  const read = Usage.safeParse(usage);
  if (!read.success) return null;
  const { input_tokens: input, cached_input_tokens: cached, output_tokens: output } = read.data;
  return { input, cached, output, reasoning: read.data.reasoning_tokens, costUsd: read.data.cost_usd };
}

/** The cost as OpenRouter tells it in this dialect, which has no field of its own for it. */
export const costField = ({ costUsd }: AnswerUsage) => (costUsd === null ? {} : { cost: costUsd });
