/** Answers of Responses: whole, and as events. Pure. */
import { type AnswerEnd, type AnswerUsage, costField } from "./door-answer.ts";
import type { OpenAiError } from "../requests/openai-error.ts";
import { responseId } from "../requests/response-ids.ts";

export type ResponseHead = { run: string; model: string; createdSeconds: number; previous: string | null };

const itemId = (run: string) => `msg_${run}`;

const part = (text: string) => ({ type: "output_text", text, annotations: [], logprobs: [] });

const item = (run: string, status: "in_progress" | "completed", content: object[]) => ({
  type: "message",
  id: itemId(run),
  status,
  role: "assistant",
  content,
});

const usageFields = (usage: AnswerUsage | null) =>
  usage && {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: usage.cached },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: usage.input + usage.output,
    ...costField(usage),
  };

function response(head: ResponseHead, status: string, output: object[], rest: object = {}) {
  return {
    id: responseId(head.run),
    object: "response",
    created_at: head.createdSeconds,
    status,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    metadata: {},
    model: head.model,
    output,
    parallel_tool_calls: false,
    previous_response_id: head.previous,
    temperature: null,
    tool_choice: "none",
    tools: [],
    top_p: null,
    usage: null,
    ...rest,
  };
}

export const wholeResponse = (head: ResponseHead, { text, usage }: AnswerEnd) =>
  response(head, "completed", [item(head.run, "completed", [part(text)])], { usage: usageFields(usage) });

type ResponseEvent = { type: string } & Record<string, unknown>;

const at = (run: string) => ({ item_id: itemId(run), output_index: 0, content_index: 0 });

/** The events before the first text. */
export const openingEvents = (head: ResponseHead): ResponseEvent[] => [
  { type: "response.created", response: response(head, "in_progress", []) },
  { type: "response.in_progress", response: response(head, "in_progress", []) },
  { type: "response.output_item.added", output_index: 0, item: item(head.run, "in_progress", []) },
  { type: "response.content_part.added", ...at(head.run), part: part("") },
];

export const deltaEvent = ({ run }: ResponseHead, delta: string): ResponseEvent => ({
  type: "response.output_text.delta",
  ...at(run),
  delta,
  logprobs: [],
});

/** The events behind the last text. */
export const closingEvents = (head: ResponseHead, end: AnswerEnd): ResponseEvent[] => [
  { type: "response.output_text.done", ...at(head.run), text: end.text, logprobs: [] },
  { type: "response.content_part.done", ...at(head.run), part: part(end.text) },
  { type: "response.output_item.done", output_index: 0, item: item(head.run, "completed", [part(end.text)]) },
  { type: "response.completed", response: wholeResponse(head, end) },
];

export const failedEvent = (head: ResponseHead, { message, code }: OpenAiError): ResponseEvent => ({
  type: "response.failed",
  response: response(head, "failed", [], { error: { code: code ?? "server_error", message } }),
});
