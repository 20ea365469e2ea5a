/**
 * The rule of whose reasoning may be sent to whom: a signed block is refused by any other provider, and by any other
 * model. Pure.
 */
import type { Message } from "../protocol/runs/run-config.ts";

/** The conversation with the reasoning of `provider` and `model` alone. Calls and text are kept, whoever they are from. */
export function keepReasoningFor(messages: readonly Message[], provider: string, model: string): Message[] {
  return messages.flatMap((message) => {
    if (!message.reasoning) return [message];
    const { reasoning, ...rest } = message;
    const own = reasoning.filter((block) => block.provider === provider && block.model === model);
    if (own.length > 0) return [{ ...rest, reasoning: own }];
    return rest.text !== undefined || rest.calls ? [rest] : [];
  });
}
