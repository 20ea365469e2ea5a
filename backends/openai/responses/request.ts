/** A call of the model as a request of OpenAI's Responses API, and what of it a model may refuse. Pure. */
import type { OpenAI } from "openai";
import { isRecord } from "../../../protocol/json/json-object.ts";
import { dataUrl, type Media, type ShownMessage } from "../../provider/media.ts";
import { type ModelCall, searchTool, type ToolDescription } from "../../provider/provider.ts";
import { resultText } from "../endpoint/result-text.ts";
import { type UnsupportedParameter, leaveOut } from "../endpoint/unsupported-parameters.ts";
import { includeSources, isSearchItem, webSearchTool } from "./search-items.ts";
import { effortOf } from "../endpoint/effort.ts";
import { wireId, wireName, wireSchema } from "../endpoint/wire-tools.ts";

export type ResponsesRequest = OpenAI.Responses.ResponseCreateParamsStreaming & {
  input: OpenAI.Responses.ResponseInputItem[];
};
type Item = OpenAI.Responses.ResponseInputItem;

/**
 * Stateless: nothing is stored, so reasoning comes and goes encrypted. `hasPhases`: whether the server knows the phase of a
 * message, which OpenAI wants back. `maySearch`: with its own search in the place of the tool of that name.
 */
export function responsesRequest(
  call: ModelCall,
  { hasPhases, maySearch }: { hasPhases: boolean; maySearch: boolean },
): ResponsesRequest {
  const tools = [
    ...call.tools.filter(({ name }) => !maySearch || name !== searchTool).map(functionTool),
    ...(maySearch ? [webSearchTool] : []),
  ];
  return {
    model: call.model,
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content", ...(maySearch ? [includeSources] : [])],
    reasoning: {
      summary: "auto",
      ...(call.thinking_budget !== undefined && { effort: effortOf(call.thinking_budget) }),
    },
    ...(call.instruction !== "" && { instructions: call.instruction }),
    input: inputOf(call, hasPhases),
    ...(tools.length > 0 && { tools }),
    ...(tools.length > 0 && call.toolChoice === "none" && { tool_choice: "none" }),
    ...(call.max_tokens !== undefined && { max_output_tokens: call.max_tokens }),
    ...(call.temperature !== undefined && { temperature: call.temperature }),
  };
}

function functionTool({ name, description, schema }: ToolDescription): OpenAI.Responses.FunctionTool {
  // Strict schemas are a small subset: an optional property isn't in it.
  return { type: "function", name: wireName(name), description, parameters: wireSchema(schema), strict: false };
}

/** The ids of the reasoning in a request. */
export function reasoningIds({ input }: ResponsesRequest): string[] {
  return input.flatMap((item) => (item.type === "reasoning" ? [item.id] : []));
}

/** A search isn't taken without the reasoning that led to it. */
export function withoutReasoning(request: ResponsesRequest, ids: ReadonlySet<string>): ResponsesRequest {
  if (ids.size === 0) return request;
  let isBehind = false;
  const isKept = (item: Item) => {
    if (item.type === "web_search_call") return !isBehind;
    isBehind = item.type === "reasoning" && ids.has(item.id);
    return !isBehind;
  };
  return { ...request, input: request.input.filter(isKept) };
}

export const unsupportedInResponses: readonly UnsupportedParameter<ResponsesRequest>[] = [
  // Not every model that reasons can do without: gpt-5 begins at "minimal". "low" is known to all of them.
  {
    named: /reasoning\.effort/,
    without: (body) => reasoning(body, body.reasoning?.effort === "none", { effort: "low" }),
  },
  {
    named: /reasoning\.effort/,
    without: (body) => reasoning(body, body.reasoning?.effort !== undefined, { effort: undefined }),
  },
  // Summaries are for organizations that have been verified, and not of every model.
  {
    named: /reasoning\.summary|reasoning summar/,
    without: (body) => reasoning(body, body.reasoning?.summary !== undefined, { summary: undefined }),
  },
  // "Encrypted content is not supported with this model": one that doesn't reason.
  leaveOut("include", /\binclude\b|encrypted content/i),
  leaveOut("reasoning", /\breasoning\b/),
  // A persona may set it and be run on any model; those that reason take none.
  leaveOut("temperature", /\btemperature\b/),
  { named: /\bphase\b/, without: withoutPhases },
];

function reasoning(
  body: ResponsesRequest,
  isSent: boolean,
  change: { [key in keyof OpenAI.Reasoning]?: OpenAI.Reasoning[key] | undefined },
): ResponsesRequest {
  if (!isSent) return body;
  const { reasoning: _, ...rest } = body;
  const left = Object.fromEntries(
    Object.entries({ ...body.reasoning, ...change }).filter(([, value]) => value !== undefined),
  );
  return Object.keys(left).length > 0 ? { ...rest, reasoning: left } : rest;
}

function withoutPhases(body: ResponsesRequest): ResponsesRequest {
  if (!body.input.some((item) => "phase" in item)) return body;
  return {
    ...body,
    input: body.input.map((item) => {
      if (!("phase" in item)) return item;
      const { phase: _, ...rest } = item;
      return rest;
    }),
  };
}

/**
 * The context of the run stands before what the user said last: what is before that is the same in each run of a conversation,
 * so that it is found in OpenAI's cache.
 */
function inputOf({ messages, context }: ModelCall, hasPhases: boolean): Item[] {
  const lastUser = Math.max(
    0,
    messages.findLastIndex(({ role }) => role === "user"),
  );
  const items = (some: readonly ShownMessage[]) => some.flatMap((message) => itemsOf(message, hasPhases));
  return [
    ...items(messages.slice(0, lastUser)),
    ...(context === "" ? [] : [{ role: "developer" as const, content: context }]),
    ...items(messages.slice(lastUser)),
  ];
}

function itemsOf(message: ShownMessage, hasPhases: boolean): Item[] {
  if (message.role === "user") return [{ role: "user", content: contentOf(message.text ?? "", message.media) }];
  if (message.role === "tool") {
    const output = contentOf(resultText(message), message.media);
    return [{ type: "function_call_output", call_id: wireId(message.call_id ?? ""), output }];
  }
  const calls = message.calls ?? [];
  return [
    ...(message.reasoning ?? []).flatMap(({ opaque }) =>
      isReasoningItem(opaque) || isSearchItem(opaque) ? [opaque] : [],
    ),
    ...(message.text === undefined ? [] : [said(message.text, hasPhases, calls.length > 0)]),
    ...calls.map(({ call_id, tool, args }) => ({
      type: "function_call" as const,
      call_id: wireId(call_id),
      name: wireName(tool),
      arguments: JSON.stringify(args),
    })),
  ];
}

type Content =
  | OpenAI.Responses.ResponseInputText
  | OpenAI.Responses.ResponseInputImage
  | OpenAI.Responses.ResponseInputFile;

/** Text, and the files behind it: a message of the user, or what a tool returned. */
function contentOf(text: string, media: readonly Media[] = []): string | Content[] {
  if (media.length === 0) return text;
  return [
    ...(text.trim() === "" ? [] : [{ type: "input_text" as const, text }]),
    ...media.map((one) =>
      one.kind === "pdf"
        ? { type: "input_file" as const, filename: one.name, file_data: dataUrl(one) }
        : { type: "input_image" as const, image_url: dataUrl(one), detail: "auto" as const },
    ),
  ];
}

function said(text: string, hasPhases: boolean, beforeCalls: boolean): Item {
  const phase = beforeCalls ? ("commentary" as const) : ("final_answer" as const);
  return { role: "assistant", content: text, ...(hasPhases && { phase }) };
}

/**
 * A whole item of this API: the dialects of Chat Completions keep theirs in other forms, under the same backend's name. Without
 * its content, encrypted or open, it is a reference to something that was never stored.
 */
export function isReasoningItem(opaque: unknown): opaque is OpenAI.Responses.ResponseReasoningItem {
  if (!isRecord(opaque) || opaque["type"] !== "reasoning" || typeof opaque["id"] !== "string") return false;
  const { encrypted_content: encrypted, content } = opaque;
  return (typeof encrypted === "string" && encrypted !== "") || (Array.isArray(content) && content.length > 0);
}
