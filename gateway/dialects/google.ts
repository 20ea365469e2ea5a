/** The Gemini API of Google: a call's model is in its path. */
import { charsIn, count, type Dialect, recordOf, type RefusalKind, setTold, textOf } from "./dialect.ts";

const statuses: Readonly<Record<RefusalKind, string>> = {
  cap: "RESOURCE_EXHAUSTED",
  token: "UNAUTHENTICATED",
  forbidden: "PERMISSION_DENIED",
  path: "NOT_FOUND",
  request: "INVALID_ARGUMENT",
  too_long: "INVALID_ARGUMENT",
  away: "UNAVAILABLE",
};

const callPath = /^\/v1(?:beta|alpha)?\/models\/([\w.-]{1,200}):(\w{1,40})$/;
const modelsPath = /^\/v1(?:beta|alpha)?\/models(\/[\w.-]{1,200})?$/;
const calls = new Set(["generateContent", "streamGenerateContent", "embedContent", "batchEmbedContents"]);

export const google: Dialect = {
  endpointOf(method, path) {
    const [, model, action = ""] = callPath.exec(path) ?? [];
    if (method === "POST" && model !== undefined && calls.has(action)) return { kind: "call", model };
    const isFree = method === "POST" ? action === "countTokens" : method === "GET" && modelsPath.test(path);
    return isFree ? { kind: "free" } : null;
  },
  keyHeaders: (key) => ({ "x-goog-api-key": key }),
  error: (kind, status, message) => ({ error: { code: status, message, status: statuses[kind] } }),
  askedOf(body, { model = "" }) {
    const { maxOutputTokens, candidateCount } = recordOf(body["generationConfig"] ?? body["generation_config"]);
    const limit = count(maxOutputTokens);
    const answers = Math.max(1, count(candidateCount) ?? 1);
    return { models: [model], maxOutputTokens: limit === undefined ? undefined : limit * answers };
  },
  hear(document, heard) {
    setTold(heard, { model: textOf(document["modelVersion"]) });
    const candidates = Array.isArray(document["candidates"]) ? document["candidates"].map(recordOf) : [];
    for (const { content } of candidates) heard.chars += charsIn(recordOf(content)["parts"]);
    const usage = recordOf(document["usageMetadata"]);
    const input = count(usage["promptTokenCount"]);
    if (input === undefined) return;
    const thoughts = count(usage["thoughtsTokenCount"]) ?? 0;
    setTold(heard, {
      input_tokens: input + (count(usage["toolUsePromptTokenCount"]) ?? 0),
      cached_input_tokens: count(usage["cachedContentTokenCount"]),
      output_tokens: (count(usage["candidatesTokenCount"]) ?? 0) + thoughts,
      reasoning_tokens: thoughts,
    });
    // Each event of a stream has sums of its own; those of the last one, which says why it ended, are all.
    if (candidates.some(({ finishReason }) => finishReason !== undefined) || candidates.length === 0)
      heard.isWhole = true;
  },
};
