/**
 * The contract of a model provider: what it is asked, what it answers, how it fails. One folder each implements it, and a
 * provider's own types appear in that folder alone.
 */
import type { ErrorReason } from "../../protocol/events/error-reason.ts";
import { type FailureDetail, RunFailure } from "./failure.ts";
import type { ShownMessage } from "./media.ts";

export type Provider = {
  /** The backend's name: stands in `start`, and marks whose reasoning a signed block is. */
  name: string;
  defaultModel: string;
  /** Whether a model takes files of a media type as they are. Absent: none. */
  takes?(mime: string, model: string): boolean;
  /** A server of the user's own: what it says of its models goes before what the price list says of their names. */
  isLocal?: boolean;
  /** How large a conversation may be for a model, in tokens, where the provider says. May throw; absent: it doesn't say. */
  contextWindow?(model: string, signal: AbortSignal): Promise<number | undefined>;
  /** A cheap model of its own, good enough for summaries. */
  summaryModel?: string;
  /**
   * One call of the model, streamed. No retries of its own: they are the loop's, so that each is seen.
   * Contract: throws ProviderError when the provider fails; stops soon after `signal` is aborted; closes its connection when
   * the reader leaves early. Ends with exactly one `end`; a stream that stops before it counts as broken.
   */
  stream(call: ModelCall, signal: AbortSignal): AsyncIterable<Chunk>;
};

export type ModelCall = {
  model: string;
  /** The persona's text. The same in each call of a run, so it may be cached. */
  instruction: string;
  /** The day, the time, the facet. Apart from the instruction, since it changes from run to run. */
  context: string;
  /**
   * The conversation, repaired: each call has one result right behind it, ids are unique, arguments are objects. The reasoning
   * in it is this provider's and model's own, in order; within a message it stands before the text, and that before the calls.
   * Neighbours may have the same role.
   */
  messages: readonly ShownMessage[];
  tools: readonly ToolDescription[];
  /** `none`: the tools are described, since providers want that where a conversation holds calls, but not to be called. */
  toolChoice: "auto" | "none";
  /** The run may search the web: a search of the provider's own takes the place of the tool `web_search`. Absent: it may not. */
  search?: boolean;
  max_tokens?: number;
  temperature?: number;
  thinking_budget?: number;
};

export type ToolDescription = {
  name: string;
  description: string;
  /** JSON Schema of the arguments: an object. */
  schema: Record<string, unknown>;
};

export type Chunk =
  /** A piece of the answer, as it comes. */
  | { type: "text"; text: string }
  /** A whole block of reasoning. `opaque` is whatever the provider needs back, of any JSON form: a signature, encrypted content. */
  | { type: "thinking"; summary?: string; opaque?: unknown }
  /** A whole call. `args`: an object, or the JSON text as the model wrote it, broken or not. `call_id`: empty where the provider has none. */
  | { type: "call"; call_id: string; tool: string; args: string | Record<string, unknown> }
  /** A search of the web, made by the provider. `opaque`: whatever it needs back, as with reasoning. */
  | { type: "search"; queries: string[]; sources: Source[]; error?: string; opaque?: unknown }
  /** A page that the answer names. */
  | { type: "source"; source: Source }
  /** Data came that is none of the others yet, such as a piece of a call. Not for keep-alives: it shows that the model lives. */
  | { type: "progress" }
  /** The usage of this call so far. The last one counts, also when the stream dies after it. */
  | { type: "usage"; usage: CallUsage }
  | { type: "end"; stop: StopReason; detail?: string };

/**
 * Why the model stopped. `end`: it has said what it wants, calls included. `max_tokens`: cut off at the limit.
 * `refusal`: it, or its provider's filter, won't answer. `pause`: it wants to be called again and go on.
 */
export type StopReason = "end" | "max_tokens" | "refusal" | "pause";

export type Source = { url: string; title: string };

/** The tool whose place the provider's own search takes. */
export const searchTool = "web_search";

export type CallUsage = {
  /** All of the input, cached tokens included. */
  input_tokens: number;
  cached_input_tokens: number;
  /** Tokens of the input that were written into the provider's cache; absent where it doesn't say. */
  cache_write_input_tokens?: number;
  /** All of the output, reasoning included. */
  output_tokens: number;
  reasoning_tokens: number;
  /** Searches of the web that the provider counts; absent where it made none. */
  web_searches?: number;
  /** In US dollars; null where no price is known. */
  cost_usd: number | null;
};

/** Too many requests, overloaded (529 is Anthropic's), and the ways in which a server or a gateway is away. From docs/contract.md. */
const retryableStatuses: ReadonlySet<number> = new Set([429, 500, 502, 503, 504, 529]);

/** A call of the model that failed. Its message must not hold a key, also where the server echoes one. */
export class ProviderError extends RunFailure {
  readonly isRetryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly status: number | undefined;

  /**
   * `status`: the HTTP status. `isBroken`: there is none, since the connection failed, or the stream died or couldn't be parsed.
   * `retryAfterMs`: how long the provider asks to wait. `reason`: what the run ends with, `provider` unless given. `detail`:
   * what exactly, where the status doesn't say.
   */
  constructor(
    message: string,
    failure: {
      status?: number;
      isBroken?: boolean;
      retryAfterMs?: number | undefined;
      reason?: ErrorReason;
      detail?: FailureDetail | undefined;
      cause?: unknown;
    } = {},
  ) {
    const { status, isBroken } = failure;
    const isRetryable = isBroken === true || (status !== undefined && retryableStatuses.has(status));
    const ofStatus = status === 429 ? "rate_limited" : isRetryable ? "unavailable" : undefined;
    super(failure.reason ?? "provider", message, { cause: failure.cause, detail: failure.detail ?? ofStatus });
    this.name = "ProviderError";
    this.isRetryable = isRetryable;
    this.retryAfterMs = failure.retryAfterMs;
    this.status = failure.status;
  }
}
