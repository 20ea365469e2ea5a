/** Plays OpenRouter: Chat Completions with a key, and reasoning in details that the provider behind it has signed. */
import { playDialect } from "./openai.ts";
import type { Play } from "./played.ts";

/** `cost`: what it takes for each call, in US dollars. */
export function playOpenrouterAt(cost?: number): Play {
  const dialect = { reasoning: "reasoning_details", needsKey: true, basePath: "/api/v1" } as const;
  return playDialect(cost === undefined ? dialect : { ...dialect, cost });
}

export const playOpenrouter: Play = playOpenrouterAt();
