/** A dialect: how a provider's API names its calls, keys, usage and errors. Pure; all of it reads what somebody else wrote. */
import { isRecord } from "../../protocol/json/json-object.ts";

/** Where a request goes. @field model of those that name it in their path */
export type Endpoint = { kind: "call" | "free"; model?: string };

/** The wishes of a call. @field problem why it can't be metered */
export type AskedCall = { models: string[]; maxOutputTokens?: number | undefined; problem?: string };

/**
 * The usage of a call as far as its answer has told it.
 * @field isWhole whether the provider has said all of it
 * @field chars how many characters the model has answered
 */
export type HeardUsage = {
  model?: string;
  input_tokens?: number;
  cached_input_tokens?: number;
  cache_write_input_tokens?: number;
  output_tokens?: number;
  reasoning_tokens?: number;
  web_searches?: number;
  cost_usd?: number;
  isWhole: boolean;
  chars: number;
};

/** The kinds of refusals of our own. */
export type RefusalKind = "cap" | "token" | "forbidden" | "path" | "request" | "too_long" | "away";

export type Dialect = {
  /** Where a request goes; null: nowhere. @param path below the provider's address, as it was sent */
  endpointOf: (method: string, path: string) => Endpoint | null;
  /** The headers that carry the provider's key. */
  keyHeaders: (key: string) => Record<string, string>;
  /** An error of ours, as the provider would say it. */
  error: (kind: RefusalKind, status: number, message: string) => unknown;
  askedOf: (body: Record<string, unknown>, endpoint: Endpoint) => AskedCall;
  /** Takes a document of the answer: an event of a stream, or the whole. */
  hear: (document: Record<string, unknown>, heard: HeardUsage) => void;
};

/** The statuses of our own refusals. */
export const refusalStatus: Readonly<Record<RefusalKind, number>> = {
  cap: 402,
  token: 401,
  forbidden: 403,
  path: 404,
  request: 400,
  too_long: 413,
  away: 503,
};

/** A token count; undefined where there is none that can be. */
export const count = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? Math.ceil(value) : undefined;

export const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

export const recordOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});

/** Sets what is told, and leaves the rest. */
export function setTold(heard: HeardUsage, told: Partial<HeardUsage>): void {
  Object.assign(heard, Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined)));
}

/** Fields of a piece of an answer that no model writes. */
const notWritten = new Set(["type", "id", "role", "index", "signature"]);

/** How many characters of text there are in something, its names left out: what a model has written. */
export function charsIn(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + charsIn(one), 0);
  if (!isRecord(value)) return 0;
  const written = Object.entries(value).filter(([name]) => !notWritten.has(name));
  return written.reduce((sum, [, one]) => sum + charsIn(one), 0);
}
