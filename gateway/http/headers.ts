/** Which headers go on to the provider and back, and the token among them. Pure. */
import type { IncomingHttpHeaders } from "node:http";
import { bearerToken } from "../../protocol/guards/http-guard.ts";

/** Headers of one connection, which aren't handed on; and those that are said anew, or would say where a call comes from. */
const ownHeaders = new Set([
  "connection",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
  "host",
  "content-length",
  "cookie",
  "forwarded",
  "via",
  // Usage is read on the way: it comes as it is.
  "accept-encoding",
]);
const isOwn = (name: string) => ownHeaders.has(name) || name.startsWith("proxy-") || name.startsWith("x-forwarded-");

/** Where clients put a key. */
const keyHeaders = ["x-api-key", "x-goog-api-key", "authorization", "api-key"];

/** The token that was sent in the place of a key. */
export function sentToken(headers: IncomingHttpHeaders, query: string): string | undefined {
  const { "x-api-key": key, "x-goog-api-key": googleKey } = headers;
  for (const value of [key, googleKey]) if (typeof value === "string" && value !== "") return value;
  return bearerToken(headers.authorization) ?? new URLSearchParams(query).get("key") ?? undefined;
}

/** The query without a key. */
export function withoutKey(query: string): string {
  const kept = query.split("&").filter((part) => part !== "" && !new URLSearchParams(part).has("key"));
  return kept.length === 0 ? "" : `?${kept.join("&")}`;
}

/** The headers that go to the provider, but for its key. */
export function forwardedHeaders(headers: NodeJS.Dict<string[]>): Record<string, string[]> {
  const named = connectionHeaders(headers);
  const kept = Object.entries(headers).filter(
    ([name]) => !isOwn(name) && !keyHeaders.includes(name) && !named.has(name),
  );
  return Object.fromEntries(kept.map(([name, values = []]) => [name, values]));
}

const ofConnection = new Set(["connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"]);

/** The headers that go back. */
export function returnedHeaders(headers: NodeJS.Dict<string[]>): Record<string, string[]> {
  const named = connectionHeaders(headers);
  const kept = Object.entries(headers).filter(
    ([name]) => !ofConnection.has(name) && !name.startsWith("proxy-") && !named.has(name),
  );
  return Object.fromEntries(kept.map(([name, values = []]) => [name, values]));
}

const connectionHeaders = ({ connection = [] }: NodeJS.Dict<string[]>): Set<string> =>
  new Set(connection.flatMap((line) => line.toLowerCase().split(",")).map((name) => name.trim()));
