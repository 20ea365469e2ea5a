/** Chat Completions and Responses of OpenAI, and of servers that speak like it. */
import {
  charsIn,
  count,
  type Dialect,
  type HeardUsage,
  recordOf,
  type RefusalKind,
  setTold,
  textOf,
} from "./dialect.ts";

const errorTypes: Readonly<Record<RefusalKind, { type: string; code: string | null }>> = {
  cap: { type: "insufficient_quota", code: "insufficient_quota" },
  token: { type: "invalid_request_error", code: "invalid_api_key" },
  forbidden: { type: "invalid_request_error", code: null },
  path: { type: "invalid_request_error", code: "unknown_url" },
  request: { type: "invalid_request_error", code: null },
  too_long: { type: "invalid_request_error", code: "request_too_large" },
  away: { type: "server_error", code: null },
};

const calls = new Set(["/chat/completions", "/responses", "/completions", "/embeddings"]);
const modelsPath = /^\/models(\/[\w.:/-]{1,200})?$/;

export const openai: Dialect = {
  endpointOf(method, path) {
    // Some clients add the version to the address that they are given.
    const own = path.startsWith("/v1/") ? path.slice("/v1".length) : path;
    if (method === "POST" && calls.has(own)) return { kind: "call" };
    return method === "GET" && modelsPath.test(own) && !own.includes("..") ? { kind: "free" } : null;
  },
  keyHeaders: (key) => ({ authorization: `Bearer ${key}` }),
  error: (kind, _, message) => ({ error: { message, param: null, ...errorTypes[kind] } }),
  askedOf(body) {
    const { model, models, max_tokens, max_completion_tokens, max_output_tokens, background } = body;
    const others = Array.isArray(models) ? models.flatMap((one) => textOf(one) ?? []) : [];
    const answers = Math.max(1, count(body["n"]) ?? 1);
    const limit = count(max_output_tokens) ?? count(max_completion_tokens) ?? count(max_tokens);
    return {
      models: [...new Set([textOf(model) ?? "", ...others])],
      maxOutputTokens: limit === undefined ? undefined : limit * answers,
      ...(background === true && { problem: "background: it would be answered when nobody counts it any more" }),
    };
  },
  hear(document, heard) {
    const { type, response } = document;
    if (typeof type === "string" && type.startsWith("response."))
      return hearResponse(type, document, recordOf(response), heard);
    if (document["object"] === "response") return hearWholeResponse(document, heard);
    setTold(heard, { model: textOf(document["model"]) });
    const choices = Array.isArray(document["choices"]) ? document["choices"].map(recordOf) : [];
    for (const { delta, text } of choices) heard.chars += charsIn(recordOf(delta)) + charsIn(text);
    const usage = recordOf(document["usage"]);
    const [input, output] = [count(usage["prompt_tokens"]), count(usage["completion_tokens"])];
    if (input === undefined) return;
    setTold(heard, {
      input_tokens: input,
      output_tokens: output ?? 0,
      cached_input_tokens: count(recordOf(usage["prompt_tokens_details"])["cached_tokens"]),
      reasoning_tokens: count(recordOf(usage["completion_tokens_details"])["reasoning_tokens"]),
      ...(typeof usage["cost"] === "number" && usage["cost"] >= 0 && { cost_usd: usage["cost"] }),
    });
    heard.isWhole = true;
  },
};

const ends = new Set(["response.completed", "response.incomplete", "response.failed"]);

function hearResponse(
  type: string,
  document: Record<string, unknown>,
  response: Record<string, unknown>,
  heard: HeardUsage,
): void {
  setTold(heard, { model: textOf(response["model"]) });
  if (typeof document["delta"] === "string") heard.chars += document["delta"].length;
  if (ends.has(type)) hearWholeResponse(response, heard);
}

function hearWholeResponse(response: Record<string, unknown>, heard: HeardUsage): void {
  setTold(heard, { model: textOf(response["model"]) });
  const usage = recordOf(response["usage"]);
  const input = count(usage["input_tokens"]);
  if (input === undefined) return;
  const output = Array.isArray(response["output"]) ? response["output"].map(recordOf) : [];
  setTold(heard, {
    input_tokens: input,
    output_tokens: count(usage["output_tokens"]) ?? 0,
    cached_input_tokens: count(recordOf(usage["input_tokens_details"])["cached_tokens"]),
    reasoning_tokens: count(recordOf(usage["output_tokens_details"])["reasoning_tokens"]),
    web_searches: output.filter((item) => item["type"] === "web_search_call").length || undefined,
  });
  heard.isWhole = true;
}
