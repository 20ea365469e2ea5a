/** The refusals of the Messages API, in its words as far as they are known. */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { PlayedRequest } from "./played.ts";
import { mediaProblem, usualImages } from "./played-media.ts";

type Json = Record<string, unknown>;
type Refusal = { status: number; type: string; message: string };

/** The same in every server of this kind: a conversation may be continued with another one. */
const secret = "the played server's own";

const versions = ["2023-06-01", "2026-10-21"];
const fields = new Set(
  "model max_tokens messages system tools tool_choice thinking stream temperature metadata stop_sequences output_config".split(
    " ",
  ),
);
const namePattern = /^[a-zA-Z0-9_-]{1,128}$/;

/** A signature of a thought, or a thought that only its signer can read. */
export function sealed(model: string, thought: string): string {
  const hmac = createHmac("sha256", secret).update(`${model}\0${thought}`).digest("base64");
  return `${Buffer.from(thought).toString("base64")}.${hmac}`;
}

class Refused extends Error {}

const refuse = (message: string): never => {
  throw new Refused(message);
};

/** The refusal of a request, if it is refused. */
export function refusalOf(request: PlayedRequest): Refusal | undefined {
  const { method, path, headers, body } = request;
  const isModels = method === "GET" && /^\/v1\/models(\?|$)/.test(path);
  if (!isModels && !(method === "POST" && path === "/v1/messages"))
    return { status: 404, type: "not_found_error", message: `Not found: ${method} ${path}` };
  if (!headers["x-api-key"] && !headers["authorization"])
    return { status: 401, type: "authentication_error", message: "x-api-key header is required" };
  try {
    const version = headers["anthropic-version"] ?? "";
    if (!versions.includes(version)) refuse(`anthropic-version: "${version}" is not a valid version`);
    if (isModels) return undefined;
    if (!headers["content-type"]?.startsWith("application/json")) refuse("content-type: expected application/json");
    checkBody(isObject(body) ? body : refuse("the body isn't a JSON object"), version);
    return undefined;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { status: 400, type: "invalid_request_error", message: error.message };
  }
}

function checkBody(body: Json, version: string): void {
  const { model, max_tokens, thinking, temperature, tools, tool_choice, messages, system } = body;
  for (const name of Object.keys(body)) if (!fields.has(name)) refuse(`${name}: Extra inputs are not permitted`);
  if (typeof model !== "string" || model === "") refuse("model: Field required");
  if (typeof max_tokens !== "number") return refuse("max_tokens: Field required");
  if (!Number.isInteger(max_tokens) || max_tokens < 1) refuse("max_tokens: must be greater than or equal to 1");
  if (body["stream"] !== true) refuse("stream: the played server only streams");
  const isThinking = checkThinking(thinking, max_tokens);
  if (temperature !== undefined) {
    if (version !== "2023-06-01") refuse("temperature: Extra inputs are not permitted");
    if (typeof temperature !== "number" || temperature < 0 || temperature > 1) refuse("temperature: range: 0..1");
    if (isThinking && temperature !== 1) refuse("`temperature` may only be set to 1 when thinking is enabled.");
  }
  for (const block of listOf(system)) checkText(block, "system");
  const names = listOf(tools).map(checkTool);
  if (new Set(names).size < names.length) refuse("tools: Tool names must be unique.");
  if (tool_choice !== undefined && names.length === 0)
    refuse("tool_choice: may only be specified while providing tools");
  const turns = listOf(messages);
  if (turns.length === 0) refuse("messages: at least one message is required");
  checkTurns(turns, String(model), names.length > 0);
  for (const [at, { content }] of turns.entries())
    checkSearches(`messages.${at}`, listOf(content), String(model), searchesIn(body));
  if (isThinking && isObject(thinking) && thinking["type"] === "enabled") checkTurnBegin(turns);
  const markers = [...listOf(tools), ...listOf(system), ...turns.flatMap(({ content }) => listOf(content))].filter(
    (item) => item["cache_control"] !== undefined,
  );
  if (markers.length > 4) refuse(`A maximum of 4 blocks with cache_control may be provided. Found ${markers.length}.`);
}

function checkThinking(thinking: unknown, maxTokens: number): boolean {
  if (thinking === undefined) return false;
  if (!isObject(thinking)) return refuse("thinking: Input should be a valid dictionary");
  const { type, budget_tokens: budget } = thinking;
  if (type === "disabled") return false;
  if (type === "adaptive") return true;
  if (type !== "enabled") refuse("thinking.type: expected 'enabled', 'adaptive' or 'disabled'");
  if (typeof budget !== "number" || budget < 1024)
    return refuse("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024");
  if (budget >= maxTokens) refuse("`max_tokens` must be greater than `thinking.budget_tokens`.");
  return true;
}

/** Whether a request offers the API's own search. */
export const searchesIn = (body: unknown) => isObject(body) && listOf(body["tools"]).some(isSearch);

const isSearch = ({ type }: Json) => type === "web_search_20250305";

function checkTool(tool: Json, at: number): string {
  const { name, input_schema: schema } = tool;
  if (isSearch(tool)) {
    for (const field of Object.keys(tool))
      if (!["type", "name", "max_uses", "cache_control"].includes(field))
        refuse(`tools.${at}.web_search_20250305.${field}: Extra inputs are not permitted`);
    if (name !== "web_search") refuse(`tools.${at}.web_search_20250305.name: Input should be 'web_search'`);
    return "web_search";
  }
  if (typeof name !== "string" || !namePattern.test(name))
    return refuse(`tools.${at}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
  if (!isObject(schema) || schema["type"] !== "object")
    return refuse(`tools.${at}.custom.input_schema.type: Input should be 'object'`);
  for (const choice of ["oneOf", "allOf", "anyOf"])
    if (choice in schema)
      refuse(`tools.${at}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`);
  return name;
}

function checkTurns(turns: readonly Json[], model: string, hasTools: boolean): void {
  const ids = new Set<string>();
  let called: string[] = [];
  for (const [at, { role, content, ...rest }] of turns.entries()) {
    const where = `messages.${at}`;
    if (Object.keys(rest).length > 0) refuse(`${where}.${Object.keys(rest)[0]}: Extra inputs are not permitted`);
    if (role !== (at % 2 === 0 ? "user" : "assistant"))
      refuse(`${where}: roles must alternate between "user" and "assistant", and begin with "user"`);
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : listOf(content);
    if (blocks.length === 0) refuse(`${where}: all messages must have non-empty content`);
    const results = blocks.filter(({ type }) => type === "tool_result");
    checkResults(where, called, results, blocks);
    called = [];
    for (const [number, block] of blocks.entries()) {
      checkBlock(`${where}.content.${number}`, String(role), block, model);
      if (!hasTools && (block["type"] === "tool_use" || block["type"] === "tool_result"))
        refuse("Requests which include `tool_use` or `tool_result` blocks must define tools.");
      if (block["type"] !== "tool_use") continue;
      const id = String(block["id"]);
      if (ids.has(id)) refuse(`${where}.content.${number}: \`tool_use\` ids must be unique`);
      ids.add(id);
      called.push(id);
    }
    if (role === "assistant" && isThought(blocks.at(-1)))
      refuse(`${where}: The final block in an assistant message cannot be \`thinking\`.`);
  }
  if (turns.at(-1)?.["role"] !== "user")
    refuse("This model does not support assistant message prefill. The conversation must end with a user message.");
}

/** Each call of the API's own search has its result in the same message, as it was found. */
function checkSearches(where: string, blocks: readonly Json[], model: string, isOffered: boolean): void {
  const results = blocks.filter(({ type }) => type === "web_search_tool_result");
  const uses = blocks.filter(({ type }) => type === "server_tool_use");
  if (!isOffered && uses.length > 0) refuse(`${where}: \`server_tool_use\` blocks need the tool \`web_search\``);
  for (const { id } of uses)
    if (!results.some(({ tool_use_id }) => tool_use_id === id))
      refuse(
        `${where}: \`web_search\` tool use with id \`${String(id)}\` was found without a corresponding \`web_search_tool_result\` block`,
      );
  for (const { tool_use_id, content } of results) {
    if (!uses.some(({ id }) => id === tool_use_id))
      refuse(`${where}: unexpected \`tool_use_id\` found in \`web_search_tool_result\` blocks: ${String(tool_use_id)}`);
    for (const { url, encrypted_content } of listOf(content))
      if (encrypted_content !== sealed(model, String(url)))
        refuse(`${where}: Invalid \`encrypted_content\` in \`web_search_tool_result\` block`);
  }
}

function checkResults(where: string, called: string[], results: readonly Json[], blocks: readonly Json[]): void {
  const answered = results.map(({ tool_use_id }) => String(tool_use_id));
  const missing = called.filter((id) => !answered.includes(id));
  if (missing.length > 0)
    refuse(
      `${where}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
    );
  const orphans = answered.filter((id) => !called.includes(id));
  if (orphans.length > 0)
    refuse(`${where}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${orphans.join(", ")}.`);
  if (new Set(answered).size < answered.length) refuse(`${where}: each tool_use must have a single result`);
  const first = blocks.slice(0, results.length);
  if (first.some(({ type }) => type !== "tool_result")) refuse(`${where}: \`tool_result\` blocks must come first`);
}

/** The fields that a block of each type has, beside its marker. */
const blockFields: Record<string, { role: string; fields: string[] }> = {
  text: { role: "either", fields: ["text"] },
  tool_result: { role: "user", fields: ["tool_use_id", "content", "is_error"] },
  tool_use: { role: "assistant", fields: ["id", "name", "input"] },
  server_tool_use: { role: "assistant", fields: ["id", "name", "input", "caller"] },
  web_search_tool_result: { role: "assistant", fields: ["tool_use_id", "content", "caller"] },
  thinking: { role: "assistant", fields: ["thinking", "signature"] },
  redacted_thinking: { role: "assistant", fields: ["data"] },
  image: { role: "user", fields: ["source"] },
  document: { role: "user", fields: ["source", "title"] },
};

function checkBlock(where: string, role: string, block: Json, model: string): void {
  const type = String(block["type"]);
  const known = blockFields[type] ?? refuse(`${where}: Input tag '${type}' found using 'type' does not match`);
  if (known.role !== "either" && known.role !== role)
    refuse(`${where}: \`${type}\` blocks can't be in ${role} messages`);
  for (const name of Object.keys(block))
    if (!["type", "cache_control", ...known.fields].includes(name))
      refuse(`${where}.${name}: Extra inputs are not permitted`);
  if (type === "text") checkText(block, where);
  if (type === "tool_use") checkCall(where, block);
  if (type === "tool_result" && isBlank(block["content"]))
    refuse(`${where}.content: text content blocks must contain non-whitespace text`);
  if (type === "image" || type === "document") checkMedia(where, block);
  if (type === "tool_result" && Array.isArray(block["content"]))
    for (const [at, inner] of listOf(block["content"]).entries()) {
      if (!["text", "image", "document"].includes(String(inner["type"])))
        refuse(`${where}.content.${at}: Input tag '${String(inner["type"])}' does not match`);
      checkBlock(`${where}.content.${at}`, "user", inner, model);
    }
  if (isThought(block)) checkThought(where, block, model);
}

function checkMedia(where: string, { type, source }: Json): void {
  if (!isObject(source) || source["type"] !== "base64") return refuse(`${where}.source: Field required`);
  for (const name of Object.keys(source))
    if (!["type", "media_type", "data"].includes(name))
      refuse(`${where}.source.${name}: Extra inputs are not permitted`);
  const types = type === "image" ? usualImages : ["application/pdf"];
  const problem = mediaProblem(source["media_type"], source["data"], types, type === "image" ? 5_000_000 : 32_000_000);
  if (problem !== null) refuse(`${where}.source.base64: ${problem}`);
}

function checkText({ type, text }: Json, where: string): void {
  if (type !== "text" || typeof text !== "string") return refuse(`${where}.text: Field required`);
  if (text.trim() === "") refuse(`${where}: text content blocks must contain non-whitespace text`);
  if (!text.isWellFormed()) refuse("The request body is not valid JSON: no low surrogate in string");
}

function checkCall(where: string, { id, name, input }: Json): void {
  if (typeof id !== "string" || !/^[a-zA-Z0-9_-]+$/.test(id))
    refuse(`${where}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
  if (typeof name !== "string" || !namePattern.test(name))
    refuse(`${where}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
  if (!isObject(input)) refuse(`${where}.tool_use.input: Input should be a valid dictionary`);
}

function checkThought(where: string, block: Json, model: string): void {
  if (block["cache_control"] !== undefined) refuse(`${where}.cache_control: Extra inputs are not permitted`);
  const isOpen = block["type"] === "thinking";
  const given = block[isOpen ? "signature" : "data"];
  const seal = typeof given === "string" ? given : "";
  const thought = isOpen ? String(block["thinking"]) : Buffer.from(seal.split(".")[0] ?? "", "base64").toString();
  const expected = sealed(model, thought);
  if (seal.length !== expected.length || !timingSafeEqual(Buffer.from(seal), Buffer.from(expected)))
    refuse(
      isOpen
        ? `${where}: Invalid \`signature\` in \`thinking\` block`
        : `${where}: Invalid \`data\` in \`redacted_thinking\` block`,
    );
}

/** A turn, from what the user said to the answer, is thought about in its first message or not at all. */
function checkTurnBegin(turns: readonly Json[]): void {
  const said = turns.findLastIndex(
    ({ role, content }) => role === "user" && listOf(content).some(({ type }) => type !== "tool_result"),
  );
  const [first] = listOf(turns[said + 1]?.["content"]);
  if (first && !isThought(first))
    refuse(
      `messages.${said + 1}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(first["type"])}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`,
    );
}

/**
 * The beginnings of a request up to each marker, as the API reads it: tools, system, messages. And the whole of it.
 * The markers themselves aren't part of it.
 */
export function markedPrefixes(body: unknown): { prefixes: string[]; whole: string } {
  const { tools, system, messages } = isObject(body) ? body : {};
  const parts = [
    ...listOf(tools),
    ...listOf(system),
    ...listOf(messages).flatMap(({ role, content }) => listOf(content).map((block): Json => ({ role, ...block }))),
  ];
  const prefixes: string[] = [];
  let whole = "";
  for (const { cache_control, ...part } of parts) {
    whole += `${JSON.stringify(part)}\n`;
    if (cache_control !== undefined) prefixes.push(whole);
  }
  return { prefixes, whole };
}

const isThought = (block: Json | undefined) =>
  block?.["type"] === "thinking" || block?.["type"] === "redacted_thinking";

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const isBlank = (value: unknown) => typeof value === "string" && value.trim() === "";

const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);
