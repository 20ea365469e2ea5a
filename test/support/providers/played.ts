/**
 * A local server that plays a provider: what it is told to answer, in the provider's own wire format, and what it refuses
 * as the real one would. One file each here plays one provider; all take the same scripts.
 */

/** One answer of the model, in neutral terms; the server renders it in its provider's format. */
export type PlayedTurn = {
  /** A block of reasoning, with whatever the provider signs it with. */
  thinking?: string;
  text?: string;
  /** `args` as text is sent as it is, broken or not. */
  calls?: { tool: string; args: Record<string, unknown> | string }[];
  /** A search that the provider itself makes before the text, which names the first page; none where it wasn't offered. */
  search?: { query: string; pages: { url: string; title: string }[] };
  /** Why the model stops, where it isn't that it is done. */
  stop?: "max_tokens" | "refusal" | "pause";
};

export type Reply =
  | {
      turn: PlayedTurn;
      /** Write the stream in pieces of so many bytes: inside of characters and of lines. */
      pieceBytes?: number;
      /** Break the stream off there, and how; `hang`: nothing more comes. */
      cut?: "between-events" | "inside-event" | "inside-call";
      by?: "end" | "reset" | "hang";
      /** The second half of the stream comes when this resolves. */
      rest?: Promise<unknown>;
    }
  /** Headers, and then nothing more. */
  | { silent: true }
  | { status: number; headers?: Record<string, string>; body: string | Record<string, unknown> };

export type PlayedRequest = {
  method: string;
  path: string;
  headers: Record<string, string>;
  /** Parsed JSON; undefined for an empty body. */
  body: unknown;
};

export type PlayedServer = AsyncDisposable & {
  /** The URL for the base-URL variable of the provider. */
  url: string;
  /** Every request that came, in order. */
  requests: PlayedRequest[];
  /** The refusals of the real provider, in words; each was answered with its 400 as well. */
  refusals: string[];
};

/** Plays the replies one after the other; a request beyond them gets a 500 that says so. */
export type Play = (replies: Reply[]) => Promise<PlayedServer>;

/** The usage that each played turn tells, so that tests can tell the kinds of tokens apart. */
export const playedUsage = { input: 100, cached: 20, cacheWrite: 8, output: 30, reasoning: 5 };
