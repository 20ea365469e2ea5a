/** The result of a tool call as text, the only form that OpenAI accepts. Pure. */
import type { Message } from "../../../protocol/runs/run-config.ts";

/** There is no field for a failure, so the text says it. */
export function resultText({ result, is_error }: Message): string {
  const text = typeof result === "string" ? result : JSON.stringify(result ?? "");
  return is_error && !/^error\b/i.test(text) ? `Error: ${text}` : text;
}
