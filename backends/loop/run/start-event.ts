/** The `start` event of a run of a built-in backend. Pure. */
import type { EventBody } from "../../../protocol/runs/event.ts";
import type { RunConfig } from "../../../protocol/runs/run-config.ts";

/** The request line has the prompt whole. A `start` of this size stays below what cortex takes as one line. */
const maxPromptLength = 1024 * 1024;

export function startEvent(config: RunConfig, backend: string, model: string): EventBody {
  const isLong = config.prompt.length > maxPromptLength;
  return {
    event: "start",
    persona: config.persona ?? "default",
    backend,
    model,
    prompt: isLong ? config.prompt.slice(0, maxPromptLength) : config.prompt,
    ...(isLong && { truncated: true }),
  };
}
