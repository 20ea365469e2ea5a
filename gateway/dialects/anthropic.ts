/** The Messages API of Anthropic. */
import { charsIn, count, type Dialect, recordOf, type RefusalKind, setTold, textOf } from "./dialect.ts";

const errorTypes: Readonly<Record<RefusalKind, string>> = {
  cap: "billing_error",
  token: "authentication_error",
  forbidden: "permission_error",
  path: "not_found_error",
  request: "invalid_request_error",
  too_long: "request_too_large",
  away: "overloaded_error",
};

export const anthropic: Dialect = {
  endpointOf(method, path) {
    if (method === "POST" && path === "/v1/messages") return { kind: "call" };
    const isFree = method === "POST" ? path === "/v1/messages/count_tokens" : modelsPath.test(path);
    return isFree && (method === "POST" || method === "GET") ? { kind: "free" } : null;
  },
  keyHeaders: (key) => ({ "x-api-key": key }),
  error: (kind, _, message) => ({ type: "error", error: { type: errorTypes[kind], message } }),
  askedOf({ model, max_tokens }) {
    return { models: [textOf(model) ?? ""], maxOutputTokens: count(max_tokens) };
  },
  hear(document, heard) {
    const message = document["type"] === "message_start" ? recordOf(document["message"]) : document;
    const { type, model } = message;
    if (type === "message") setTold(heard, { model: textOf(model) });
    if (type === "message" || type === "message_delta") hearUsage(recordOf(message["usage"]), heard);
    // A stream tells what was put out only at its end; what its beginning tells is what was there by then.
    if (type === "message_delta" || (type === "message" && message === document)) heard.isWhole = true;
    if (type === "content_block_start") heard.chars += charsIn(document["content_block"]);
    if (type === "content_block_delta") heard.chars += charsIn(document["delta"]);
  },
};

const modelsPath = /^\/v1\/models(\/[\w.:-]{1,200})?$/;

function hearUsage(usage: Record<string, unknown>, heard: Parameters<Dialect["hear"]>[1]): void {
  const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens } = usage;
  const [plain, read, written] = [input_tokens, cache_read_input_tokens, cache_creation_input_tokens].map(count);
  const cached = read ?? heard.cached_input_tokens;
  const made = written ?? heard.cache_write_input_tokens;
  // The provider counts cached tokens apart from the rest.
  if (plain !== undefined) heard.input_tokens = plain + (cached ?? 0) + (made ?? 0);
  setTold(heard, {
    cached_input_tokens: cached,
    cache_write_input_tokens: made,
    output_tokens: count(output_tokens),
    reasoning_tokens: count(recordOf(usage["output_tokens_details"])["thinking_tokens"]),
    web_searches: count(recordOf(usage["server_tool_use"])["web_search_requests"]),
  });
}
