/** Chat Completions as local servers speak it: its chunks in several dialects, and what the strict ones among them refuse. */
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
import { dataUrlProblem, mediaProblem, usualImages } from "./played-media.ts";
import { type PlayedRequest, type PlayedTurn, playedUsage } from "./played.ts";

/** How a server differs from the usual ones. */
export type Dialect = {
  /** Where it puts reasoning; `think`: into the text, between tags. Usually `reasoning_content`. */
  reasoning?: "reasoning_content" | "reasoning" | "reasoning_details" | "think";
  /** Calls have no ids, are all number 0, come whole, with arguments as objects. */
  calls?: "no-ids" | "all-zero" | "objects";
  /** It says nothing of the tokens. */
  hasNoUsage?: boolean;
  /** It doesn't say why it stops. */
  hasNoFinish?: boolean;
  /** It wants a key. */
  needsKey?: boolean;
  /** The cost of a call, as OpenRouter says it. */
  cost?: number;
  basePath?: string;
};

const secret = "the played details";

const fields =
  "model messages stream stream_options tools tool_choice max_tokens max_completion_tokens temperature reasoning_effort reasoning".split(
    " ",
  );

export function chatRules(dialect: Dialect): Rules {
  const { basePath = "/v1" } = dialect;
  /** The reasoning with which each call was issued here. */
  const issued = new Map<string, Json>();
  return {
    basePath,
    refusalOf: (request) =>
      refusalBy((request) => {
        const what = checkPath(request, basePath, "/chat/completions");
        if (dialect.needsKey) checkKey(request);
        if (what === "call") check(request, issued);
      }, request),
    frames: (turn) => framesOf(turn, dialect, issued),
  };
}

function check(request: PlayedRequest, issued: Map<string, Json>): void {
  const body = bodyOf(request);
  checkFields(body, fields);
  checkModel(body);
  for (const [at, tool] of listOf(body["tools"]).entries()) {
    checkFields(tool, ["type", "function"], `tools[${at}].`);
    checkFunction(isObject(tool["function"]) ? tool["function"] : {}, `tools[${at}].function`);
  }
  if (body["tool_choice"] !== undefined && listOf(body["tools"]).length === 0)
    refuse("'tool_choice' is only allowed when 'tools' are specified.", null, "tool_choice");
  const messages = listOf(body["messages"]);
  if (messages.length === 0) refuse("[] is too short - 'messages'", null, "messages");
  let open: string[] = [];
  for (const [at, message] of messages.entries()) {
    const { role, content, tool_calls: calls, tool_call_id } = message;
    const where = `messages[${at}]`;
    const before = messages[at - 1]?.["role"];
    if (open.length > 0 && role !== "tool")
      refuse(`An assistant message with 'tool_calls' must be followed by tool messages: ${open.join(", ")}`);
    if (role === "system" && at > 0) refuse("System message must be at the beginning.");
    if (role !== "tool" && role === before)
      refuse("Conversation roles must alternate user/assistant/user/assistant/...");
    if (!["system", "user", "assistant", "tool"].includes(String(role)))
      refuse(`Invalid value: '${String(role)}'.`, "invalid_value", `${where}.role`);
    if (role === "user" && Array.isArray(content)) checkParts(listOf(content), where);
    else if (typeof content !== "string" && !(role === "assistant" && content === null && calls))
      refuse("expected a string, got null", "invalid_type", `${where}.content`);
    if (role === "tool") {
      const id = checkId(tool_call_id, `${where}.tool_call_id`);
      if (!open.includes(id)) refuse("messages with role 'tool' must follow a message with 'tool_calls'.");
      open = open.filter((other) => other !== id);
    }
    if (calls !== undefined) open = listOf(calls).map((call) => checkCall(call, message, issued, where));
  }
  if (open.length > 0) refuse(`'tool_call_ids' without response messages: ${open.join(", ")}`);
  // Signed details are checked wherever they stand; plain reasoning, while its turn lasts.
  for (const detail of messages.flatMap((message) => listOf(message["reasoning_details"])))
    if (detail["signature"] !== signature(detail["text"])) refuse("Invalid `signature` in `thinking` block");
  const turn = messages.slice(messages.findLastIndex(({ role }) => role === "user"));
  for (const message of turn)
    for (const { id } of listOf(message["tool_calls"]))
      for (const [name, value] of Object.entries(issued.get(String(id)) ?? {}))
        if (JSON.stringify(message[name]) !== JSON.stringify(value))
          refuse(
            `thinking is enabled but ${name} is missing in an assistant message with tool calls, or not as it was`,
          );
}

function checkParts(parts: Json[], where: string): void {
  if (parts.length === 0) refuse("expected a part", null, `${where}.content`);
  for (const [at, part] of parts.entries()) {
    const place = `${where}.content[${at}]`;
    const { type, text, image_url: image, file, input_audio: sound } = part;
    checkFields(part, ["type", type === "text" ? "text" : String(type)], `${place}.`);
    if (type === "text" && (typeof text !== "string" || text === "")) refuse("expected text", null, place);
    const problem =
      type === "text"
        ? null
        : type === "image_url" && isObject(image)
          ? dataUrlProblem(image["url"], usualImages)
          : type === "file" && isObject(file) && typeof file["filename"] === "string"
            ? dataUrlProblem(file["file_data"], ["application/pdf"])
            : type === "input_audio" && isObject(sound)
              ? mediaProblem(`audio/${sound["format"] === "mp3" ? "mpeg" : "wav"}`, sound["data"], [
                  "audio/wav",
                  "audio/mpeg",
                ])
              : `Invalid value: '${String(type)}'`;
    if (problem !== null) refuse(problem, "invalid_value", place);
  }
}

function checkCall(call: Json, message: Json, issued: Map<string, Json>, where: string): string {
  const { id, type, function: called } = call;
  if (type !== "function" || !isObject(called)) return refuse("expected a function", null, `${where}.tool_calls`);
  checkName(called["name"], `${where}.tool_calls.function.name`);
  if (typeof called["arguments"] !== "string") refuse("expected a string", "invalid_type", `${where}.tool_calls`);
  try {
    JSON.parse(String(called["arguments"]));
  } catch {
    refuse("Failed to parse tool call arguments as JSON");
  }
  const text = issued.get(String(id))?.["content"];
  if (typeof text === "string" && message["content"] !== text) refuse("the thoughts in the text aren't as they were");
  return checkId(id, `${where}.tool_calls.id`);
}

const signature = (text: unknown) => createHmac("sha256", secret).update(String(text)).digest("base64");

function framesOf(turn: PlayedTurn, dialect: Dialect, issued: Map<string, Json>): Frame[] {
  const { thinking, text, calls = [], stop } = turn;
  const frames: Frame[] = [];
  const id = `chatcmpl-${randomBytes(12).toString("hex")}`;
  const add = (fields: Json, part?: "text" | "call") => {
    const json = JSON.stringify({ id, object: "chat.completion.chunk", created: 1, model: "local", ...fields });
    frames.push({ lines: `data: ${json}\n\n`, ...(part && { part }) });
  };
  const delta = (fields: Json, part?: "text" | "call") =>
    add({ choices: [{ index: 0, delta: fields, finish_reason: null }] }, part);

  frames.push({ lines: ": keep-alive\n\n" });
  delta({ role: "assistant", content: "" });
  const field = dialect.reasoning ?? "reasoning_content";
  const thought = thinking === undefined ? {} : thoughtOf(thinking, field, text);
  if (thinking !== undefined && field === "think") {
    for (const piece of pieces(`<think>\n${thinking}\n</think>\n\n`, 4)) delta({ content: piece });
  } else if (thinking !== undefined && field === "reasoning_details") {
    for (const piece of pieces(thinking, 9))
      delta({
        reasoning: piece,
        reasoning_details: [{ type: "reasoning.text", text: piece, format: "played", index: 0 }],
      });
    delta({
      reasoning_details: [{ type: "reasoning.text", signature: signature(thinking), format: "played", index: 0 }],
    });
  } else if (thinking !== undefined) {
    for (const piece of pieces(thinking, 9)) delta({ [field]: piece, content: null });
  }
  if (stop === "refusal") delta({ refusal: text ?? "I can't help with that." }, "text");
  else for (const piece of pieces(text ?? "", 3)) delta({ content: piece }, "text");
  for (const [index, call] of calls.entries()) {
    const call_id = `call_${randomBytes(8).toString("hex")}`;
    if (dialect.calls !== "no-ids") issued.set(call_id, thought);
    for (const piece of callPieces(call, index, call_id, dialect)) delta({ tool_calls: [piece] }, "call");
  }
  const finish = stop === "max_tokens" ? "length" : calls.length > 0 ? "tool_calls" : "stop";
  if (!dialect.hasNoFinish) add({ choices: [{ index: 0, delta: {}, finish_reason: finish }] });
  if (!dialect.hasNoUsage) add({ choices: [], usage: usageOf(dialect) });
  frames.push({ lines: "data: [DONE]\n\n" });
  return frames;
}

/** Builds the reasoning that an assistant message has to hold when it comes back. */
function thoughtOf(thinking: string, field: string, text: string | undefined): Json {
  if (field === "think") return { content: `<think>\n${thinking}\n</think>${text ?? ""}` };
  if (field !== "reasoning_details") return { [field]: thinking };
  const detail = { type: "reasoning.text", text: thinking, format: "played", index: 0 };
  return { reasoning_details: [{ ...detail, signature: signature(thinking) }] };
}

function callPieces(
  { tool, args }: { tool: string; args: Json | string },
  number: number,
  id: string,
  { calls }: Dialect,
): Json[] {
  const index = calls === "all-zero" ? 0 : number;
  if (calls === "objects") return [{ function: { name: tool, arguments: args } }];
  const json = typeof args === "string" ? args : JSON.stringify(args);
  const begin = calls === "no-ids" ? {} : { id, type: "function" };
  return [
    { index, ...begin, function: { name: tool, arguments: "" } },
    ...pieces(json, 7).map((piece) => ({ index, function: { arguments: piece } })),
  ];
}

function usageOf({ cost }: Dialect): Json {
  return {
    prompt_tokens: playedUsage.input,
    completion_tokens: playedUsage.output,
    total_tokens: playedUsage.input + playedUsage.output,
    prompt_tokens_details: { cached_tokens: playedUsage.cached },
    completion_tokens_details: { reasoning_tokens: playedUsage.reasoning },
    ...(cost !== undefined && { cost }),
  };
}
