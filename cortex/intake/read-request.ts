/** A message becomes a request, or the reason why it can't. Pure. */
import { issueTexts } from "../../protocol/words/issues.ts";
import { dropNulls, isRecord } from "../../protocol/json/json-object.ts";
import { Request } from "../../protocol/runs/request/request.ts";
import { contentHash, redacted, secretValues } from "../../protocol/runs/request/request-content.ts";
import { SecretHider } from "../../protocol/guards/secrets.ts";
import type { Rejection } from "../../protocol/runs/subjects.ts";
import { JsonDepthError, parseJson } from "../../protocol/json/parse-json.ts";

/** How much of a message that is no JSON is shown to whoever sent it. */
const shownBytes = 2048;

export type ReadRequest =
  | { ok: true; request: Request; agentId: string | null; hash: string }
  | { ok: false; rejection: Rejection };

/** Reads a message from `cortex.request`. */
export function readRequest(data: Uint8Array): ReadRequest {
  const text = new TextDecoder().decode(data);
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    if (error instanceof JsonDepthError) return invalid(error.message, text.slice(0, shownBytes));
    return invalid(`not JSON: ${whatIsWrong(error)}`, text.slice(0, shownBytes));
  }
  if (!isRecord(value)) return invalid(`expected a JSON object, got ${nameOf(value)}`, value);
  const fields = dropNulls(value);
  const parsed = Request.safeParse(fields);
  if (!parsed.success) return invalid(issueTexts(parsed.error, fields).join("; "), value);
  const request = parsed.data;
  const agentId = request.ts === undefined ? (request.agent_id ?? null) : String(request.ts);
  return { ok: true, request, agentId, hash: contentHash(request) };
}

/** The parser's message, without the piece of the text that it quotes: that may be a secret. */
function whatIsWrong(error: unknown): string {
  return error instanceof Error ? error.message.replace(/, (\.\.\.)?".*$/s, "") : String(error);
}

function invalid(error: string, request: unknown): ReadRequest {
  const shown = new SecretHider(secretValues(request)).hide(error);
  return { ok: false, rejection: { error: shown, reason: "invalid", request: redacted(request) } };
}

function nameOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "an array" : typeof value;
}
