/** Answers of Chat Completions: whole, and as chunks. Pure. */
import { type AnswerEnd, type AnswerUsage, costField } from "./door-answer.ts";
import { completionId } from "../requests/response-ids.ts";

/** The facts that stand in each chunk. */
export type ChatHead = { run: string; model: string; createdSeconds: number };

const usageFields = (usage: AnswerUsage | null) =>
  usage && {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cached },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
    ...costField(usage),
  };

export const chatAnswer = ({ run, model, createdSeconds }: ChatHead, { text, usage }: AnswerEnd) => ({
  id: completionId(run),
  object: "chat.completion",
  created: createdSeconds,
  model,
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: text, refusal: null },
      logprobs: null,
      finish_reason: "stop",
    },
  ],
  ...(usage && { usage: usageFields(usage) }),
});

type Delta = { role?: "assistant"; content?: string };

/** @param finish null: more comes, @param hasUsage whether the client asked for a last chunk with usage */
export const chatChunk = (
  { run, model, createdSeconds }: ChatHead,
  delta: Delta,
  finish: "stop" | null,
  hasUsage: boolean,
) => ({
  id: completionId(run),
  object: "chat.completion.chunk",
  created: createdSeconds,
  model,
  choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  ...(hasUsage && { usage: null }),
});

/** The last chunk of a stream whose client asked for usage. */
export const usageChunk = ({ run, model, createdSeconds }: ChatHead, { usage }: AnswerEnd) => ({
  id: completionId(run),
  object: "chat.completion.chunk",
  created: createdSeconds,
  model,
  choices: [],
  usage: usageFields(usage),
});
