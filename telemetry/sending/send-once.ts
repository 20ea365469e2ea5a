/** One request to the receiver by OTLP over HTTP, and what its answer means. */
import { fetch } from "../../proc/http/fetch.ts";
import type { PlainResponse } from "../../proc/http/response.ts";
import { isRecord } from "../../protocol/json/json-object.ts";
import { tryParseJson } from "../../protocol/json/parse-json.ts";
import { SecretHider } from "../../protocol/guards/secrets.ts";
import type { TelemetrySettings } from "../../protocol/settings/parts/telemetry-settings.ts";
import type { Outgoing } from "./kept-telemetry.ts";

export type SendOutcome =
  /** `warning`: it took a part, or had something to say. */
  | { is: "accepted"; warning?: string }
  /** It never takes this. */
  | { is: "refused"; status: number; why: string }
  /** Nobody knows whether it was taken, or it asks to come back. `afterMs`: when, if it says so. */
  | { is: "unanswered"; why: string; afterMs?: number };

/** The statuses after which OTLP has a client try again. */
const passing = new Set([429, 502, 503, 504]);
/** Longest wait that a `Retry-After` is granted, in ms. */
const longestWaitMs = 10 * 60_000;
/** Bytes of an answer that are read. */
const mostAnswer = 65_536;
/** Characters of what a receiver says that a log has room for. */
const longestSaid = 500;

/** Sends it. @param signal ends the wait for an answer */
export async function sendOnce(
  { otlp_url, headers = {} }: TelemetrySettings,
  { path, body }: Pick<Outgoing, "path" | "body">,
  signal: AbortSignal,
): Promise<SendOutcome> {
  // Also without the scheme before it, such as `Bearer`.
  const said = new SecretHider(Object.values(headers).flatMap((value) => [value, ...value.split(/\s+/)]));
  const shown = (text: string) => said.hide(text).slice(0, longestSaid);
  try {
    const answer = await fetch(addressOf(otlp_url, path), {
      method: "POST",
      headers: { ...lowerCased(headers), "content-type": "application/json" },
      body,
      signal,
      // Followed, a POST becomes a GET without its body, and a page's 200 would count as taken.
      redirect: "manual",
    });
    const text = await beginOf(answer);
    if (answer.ok) return accepted(text, shown);
    const why = shown(`status ${answer.status}${text ? `: ${text}` : ""}`);
    if (!passing.has(answer.status)) return { is: "refused", status: answer.status, why };
    const afterMs = waitOf(answer.headers.get("retry-after"), Date.now());
    return { is: "unanswered", why, ...(afterMs !== undefined && { afterMs }) };
  } catch (error) {
    return { is: "unanswered", why: shown(reasonOf(error)) };
  }
}

/** Names of headers in one case, so that none of them stands beside ours. */
const lowerCased = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** The address for one kind of data, below that of the receiver. */
function addressOf(base: string, path: string): URL {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/$/, "")}/${path}`;
  return url;
}

/** The text of an answer as far as it comes: null where it breaks off. Its status counts all the same: it was handled by then. */
async function beginOf(answer: PlainResponse): Promise<string | null> {
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const part of answer.body ?? []) {
      parts.push(part);
      size += part.length;
      if (size > mostAnswer) break;
    }
    return Buffer.concat(parts).toString("utf8");
  } catch {
    return null;
  }
}

function accepted(text: string | null, shown: (text: string) => string): SendOutcome {
  if (text === null) return { is: "accepted", warning: "its answer broke off" };
  const document = tryParseJson(text);
  const partial = isRecord(document) ? document["partialSuccess"] : undefined;
  if (!isRecord(partial)) return { is: "accepted" };
  const { rejectedSpans, rejectedDataPoints, errorMessage } = partial;
  const rejected = Number(rejectedSpans ?? rejectedDataPoints ?? 0);
  const words = typeof errorMessage === "string" ? errorMessage : "";
  if (!(rejected > 0) && words === "") return { is: "accepted" };
  return { is: "accepted", warning: shown(`${rejected} rejected${words ? `: ${words}` : ""}`) };
}

/** How long a `Retry-After` says, in ms: seconds, or a date. */
export function waitOf(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), longestWaitMs);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}
