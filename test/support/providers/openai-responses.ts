/** The Responses API: its events, and what it refuses. */
import { createHmac, randomBytes } from "node:crypto";
import { type Frame, pieces, type Rules } from "./event-server.ts";
import {
  bodyOf,
  checkFields,
  checkFunction,
  checkId,
  checkKey,
  checkModel,
  checkName,
  checkPath,
  isObject,
  type Json,
  listOf,
  refusalBy,
  refuse,
} from "./openai-errors.ts";
import { dataUrlProblem, usualImages } from "./played-media.ts";
import { type PlayedRequest, type PlayedTurn, playedUsage } from "./played.ts";

/** The same in every server of this kind: a conversation may be continued with another one. */
const secret = "the played Responses API";

const fields =
  "model input instructions stream store include reasoning tools tool_choice max_output_tokens temperature parallel_tool_calls".split(
    " ",
  );
const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

export function responsesRules(): Rules {
  /** The reasoning that led to each call that was issued here, and the model that it was. */
  const issued = new Map<string, { model: unknown; reasoning: string }>();
  return {
    basePath: "/v1",
    refusalOf: (request) => refusalBy((request) => check(request, issued), request),
    frames(turn, request) {
      const { model, tools, include } = request.body as Json;
      const hasSearch = listOf(tools).some(({ type }) => type === "web_search");
      const hasSources = Array.isArray(include) && include.includes("web_search_call.action.sources");
      const items = itemsOf(turn, model, hasSearch && { hasSources });
      const reasoning = items.find(({ type }) => type === "reasoning");
      for (const { type, call_id, id } of items)
        if ((type === "function_call" || type === "web_search_call") && reasoning)
          issued.set(String(call_id ?? id), { model, reasoning: String(reasoning["id"]) });
      return framesOf(turn, items, String(model));
    },
  };
}

function encrypted(model: unknown, id: string, summary: unknown): string {
  const text = JSON.stringify([model, id, summary]);
  return `gAAAA${createHmac("sha256", secret).update(text).digest("base64")}`;
}

function check(request: PlayedRequest, issued: Map<string, { model: unknown; reasoning: string }>): void {
  const what = checkPath(request, "/v1", "/responses");
  checkKey(request);
  if (what === "models") return;
  const body = bodyOf(request);
  checkFields(body, fields);
  checkModel(body);
  const { store, include, max_output_tokens: limit, reasoning, tools, tool_choice: choice, input } = body;
  if (store !== false) refuse("the played server stores nothing: expected store = false", null, "store");
  if (!Array.isArray(include) || !include.includes("reasoning.encrypted_content"))
    refuse("nothing is stored, so reasoning has to be included", null, "include");
  if (limit !== undefined && !(typeof limit === "number" && limit >= 16))
    refuse("Invalid 'max_output_tokens': integer below minimum value. Expected >= 16", "integer_below_min_value");
  if (isObject(reasoning)) {
    checkFields(reasoning, ["effort", "summary"], "reasoning.");
    if ("effort" in reasoning && !efforts.includes(String(reasoning["effort"])))
      refuse(`Invalid value: '${String(reasoning["effort"])}'.`, "invalid_value", "reasoning.effort");
  }
  for (const [at, tool] of listOf(tools).entries()) {
    if (tool["type"] === "web_search") {
      checkFields(tool, ["type"], `tools[${at}].`);
      continue;
    }
    checkFields(tool, ["type", "name", "description", "parameters", "strict"], `tools[${at}].`);
    // Absent, it's true, and then most schemas are refused.
    if (tool["strict"] !== false) refuse("the played server has no strict schemas", null, `tools[${at}].strict`);
    checkFunction(tool, `tools[${at}]`);
  }
  if (choice !== undefined && listOf(tools).length === 0)
    refuse("Tool choice 'none' must be specified with 'tools' parameter.", null, "tool_choice");
  if (!Array.isArray(input) || input.length === 0)
    refuse("Missing required parameter: 'input'.", "missing_required_parameter");
  checkInput(listOf(input), body["model"], issued);
}

function checkContent(parts: Json[], where: string): void {
  if (parts.length === 0) refuse("expected a part", null, `${where}.content`);
  for (const [at, part] of parts.entries()) {
    const place = `${where}.content[${at}]`;
    const known: Record<string, string[]> = {
      input_text: ["text"],
      input_image: ["image_url", "detail"],
      input_file: ["filename", "file_data"],
    };
    const type = String(part["type"]);
    checkFields(
      part,
      ["type", ...(known[type] ?? refuse(`Invalid value: '${type}'.`, "invalid_value", place))],
      `${place}.`,
    );
    if (type === "input_text" && (typeof part["text"] !== "string" || part["text"] === ""))
      refuse("expected text", null, place);
    if (type === "input_file" && typeof part["filename"] !== "string") refuse("expected a name", null, place);
    const problem =
      type === "input_image"
        ? dataUrlProblem(part["image_url"], usualImages)
        : type === "input_file"
          ? dataUrlProblem(part["file_data"], ["application/pdf"])
          : null;
    if (problem !== null)
      refuse(`The image data you provided does not represent a valid image: ${problem}`, "invalid_value", place);
  }
}

function checkInput(input: Json[], model: unknown, issued: Map<string, { model: unknown; reasoning: string }>): void {
  const open = new Set<string>();
  const seen = new Set<string>();
  const reasoningIds = new Set<unknown>();
  for (const [at, item] of input.entries()) {
    const where = `input[${at}]`;
    switch (item["type"] ?? "message") {
      case "message":
        checkFields(item, ["type", "role", "content", "phase", "id", "status"], `${where}.`);
        if (!["user", "assistant", "developer", "system"].includes(String(item["role"])))
          refuse(`Invalid value: '${String(item["role"])}'.`, "invalid_value", `${where}.role`);
        if (item["role"] === "user" && Array.isArray(item["content"])) checkContent(listOf(item["content"]), where);
        else if (typeof item["content"] !== "string") refuse("expected text", null, `${where}.content`);
        break;
      case "reasoning": {
        const { id, summary, encrypted_content } = item;
        if (encrypted_content !== encrypted(model, String(id), summary))
          refuse(`The encrypted content for item ${String(id)} could not be verified.`, "invalid_encrypted_content");
        const next = input[at + 1];
        if (!next || next["role"] === "user" || next["type"] === "function_call_output")
          refuse(`Item '${String(id)}' of type 'reasoning' was provided without its required following item.`);
        reasoningIds.add(id);
        break;
      }
      case "web_search_call": {
        checkFields(item, ["type", "id", "status", "action"], `${where}.`);
        const id = String(item["id"]);
        if (!id.startsWith("ws_")) refuse(`Invalid '${where}.id': '${id}'. Expected an ID that begins with 'ws'.`);
        const origin = issued.get(id);
        if (origin?.model === model && origin && !reasoningIds.has(origin.reasoning))
          refuse(`Item '${id}' of type 'web_search_call' was provided without its required 'reasoning' item`);
        break;
      }
      case "function_call": {
        checkFields(item, ["type", "id", "call_id", "name", "arguments", "status"], `${where}.`);
        const id = checkId(item["call_id"], `${where}.call_id`);
        checkName(item["name"], `${where}.name`);
        if (typeof item["arguments"] !== "string") refuse("expected a string", "invalid_type", `${where}.arguments`);
        if (seen.has(id)) refuse(`Duplicate item found with call_id ${id}.`);
        const origin = issued.get(id);
        if (origin?.model === model && origin && !reasoningIds.has(origin.reasoning))
          refuse(`Item ${id} of type 'function_call' was provided without its required 'reasoning' item`);
        seen.add(id);
        open.add(id);
        break;
      }
      case "function_call_output": {
        checkFields(item, ["type", "id", "call_id", "output", "status"], `${where}.`);
        const id = checkId(item["call_id"], `${where}.call_id`);
        if (!open.delete(id)) refuse(`No tool call found for function call output with call_id ${id}.`);
        if (Array.isArray(item["output"])) checkContent(listOf(item["output"]), where);
        else if (typeof item["output"] !== "string") refuse("expected a string", "invalid_type", `${where}.output`);
        break;
      }
      default:
        refuse(`Invalid value: '${String(item["type"])}'.`, "invalid_value", `${where}.type`);
    }
  }
  if (open.size > 0) refuse(`No tool output found for function call ${[...open].join(", ")}.`);
}

const newId = (prefix: string) => `${prefix}_${randomBytes(16).toString("hex")}`;

function itemsOf(
  { thinking, text, calls = [], stop, search }: PlayedTurn,
  model: unknown,
  searches: false | { hasSources: boolean },
): Json[] {
  const items: Json[] = [];
  if (thinking !== undefined) {
    const id = newId("rs");
    const summary = [{ type: "summary_text", text: thinking }];
    items.push({ type: "reasoning", id, summary, encrypted_content: encrypted(model, id, summary) });
  }
  const found = searches === false ? undefined : search;
  if (found && searches) {
    const sources = found.pages.map(({ url }) => ({ type: "url", url }));
    const { query } = found;
    const action = { type: "search", query, queries: [query], ...(searches.hasSources && { sources }) };
    items.push({ type: "web_search_call", id: newId("ws"), status: "completed", action });
  }
  const annotations = (found?.pages ?? [])
    .slice(0, 1)
    .map((page) => ({ type: "url_citation", start_index: 0, end_index: 1, ...page }));
  const message = (content: Json) =>
    items.push({ type: "message", id: newId("msg"), role: "assistant", status: "completed", content: [content] });
  if (stop === "refusal") message({ type: "refusal", refusal: text ?? "I can't help with that." });
  else if (text !== undefined) message({ type: "output_text", text, annotations, logprobs: [] });
  for (const [at, { tool, args }] of calls.entries()) {
    const isHalf = stop === "max_tokens" && at === calls.length - 1;
    items.push({
      type: "function_call",
      id: newId("fc"),
      call_id: newId("call"),
      name: tool,
      arguments: typeof args === "string" ? args : JSON.stringify(args),
      status: isHalf ? "incomplete" : "completed",
    });
  }
  return items;
}

function framesOf({ stop }: PlayedTurn, items: Json[], model: string): Frame[] {
  const frames: Frame[] = [];
  const add = (type: string, data: Json, part?: "text" | "call") => {
    const json = JSON.stringify({ type, sequence_number: frames.length, ...data });
    frames.push({ lines: `event: ${type}\ndata: ${json}\n\n`, ...(part && { part }) });
  };
  const response = { id: newId("resp"), object: "response", model, output: [], usage: null, error: null };
  add("response.created", { response: { ...response, status: "in_progress" } });
  add("response.in_progress", { response: { ...response, status: "in_progress" } });
  for (const [output_index, item] of items.entries()) {
    const place = { item_id: item["id"], output_index };
    add("response.output_item.added", { output_index, item: { ...item, ...beginnings[String(item["type"])] } });
    if (item["type"] === "reasoning") {
      for (const delta of pieces(String(listOf(item["summary"])[0]?.["text"]), 9))
        add("response.reasoning_summary_text.delta", { ...place, summary_index: 0, delta });
    } else if (item["type"] === "function_call") {
      for (const delta of pieces(String(item["arguments"]), 7))
        add("response.function_call_arguments.delta", { ...place, delta }, "call");
      add("response.function_call_arguments.done", { ...place, arguments: item["arguments"] });
    } else if (item["type"] === "web_search_call") {
      for (const state of ["in_progress", "searching", "completed"]) add(`response.web_search_call.${state}`, place);
    } else {
      const [part = {}] = listOf(item["content"]);
      const kind = String(part["type"]) as "output_text" | "refusal";
      add("response.content_part.added", { ...place, content_index: 0, part: { type: kind, text: "" } });
      const whole = String(kind === "refusal" ? part["refusal"] : part["text"]);
      for (const delta of pieces(whole, 3))
        add(`response.${kind}.delta`, { ...place, content_index: 0, delta }, "text");
      add(`response.${kind}.done`, { ...place, content_index: 0, [kind === "refusal" ? "refusal" : "text"]: whole });
    }
    add("response.output_item.done", { output_index, item });
  }
  const usage = {
    input_tokens: playedUsage.input,
    input_tokens_details: { cached_tokens: playedUsage.cached, cache_write_tokens: playedUsage.cacheWrite },
    output_tokens: playedUsage.output,
    output_tokens_details: { reasoning_tokens: playedUsage.reasoning },
    total_tokens: playedUsage.input + playedUsage.output,
  };
  if (stop === "max_tokens") {
    const incomplete_details = { reason: "max_output_tokens" };
    add("response.incomplete", {
      response: { ...response, status: "incomplete", output: items, usage, incomplete_details },
    });
  } else {
    const searches = items.filter(({ type }) => type === "web_search_call").length;
    const tool_usage = { web_search: { num_requests: searches } };
    add("response.completed", { response: { ...response, status: "completed", output: items, usage, tool_usage } });
  }
  return frames;
}

/** The fields that are empty yet when an item is announced. */
const beginnings: Record<string, Json> = {
  reasoning: { summary: [], encrypted_content: "" },
  message: { content: [], status: "in_progress" },
  function_call: { arguments: "", status: "in_progress" },
  web_search_call: { status: "in_progress" },
};
