/** Events of a workspace as they happen, in order and none twice, also over breaks of the connection. */
import { setTimeout as delay } from "node:timers/promises";
import { EventSourceParserStream } from "eventsource-parser/stream";
import type { events } from "./api-types.ts";
import { type ApiAddress, ApiError, type ApiRecord, UnreachableError } from "./workspace-client.ts";

/** `id` is absent where the event isn't kept. */
export type FeedEvent = { [Name in keyof events]: { id?: number; event: Name; data: events[Name] } }[keyof events];

export type FeedOptions = {
  /** Asked before each connection: a server that was started again may be elsewhere. Null: there is none. */
  addressOf: () => ApiAddress | null;
  workspaceId: string;
  /** Goes on behind this event; absent: with what happens from now on. */
  from?: number;
  /** Reports a break, with how often it was tried since. */
  onBreak?: (tries: number) => void;
  signal: AbortSignal;
};

/** The first waits are short: a server that is started again is there within seconds. In ms. */
const waits = [100, 250, 500, 1000];

/** A feed that is connected. What happens from then on is heard. @throws ApiError, UnreachableError when it can't be */
export async function openFeed(options: FeedOptions): Promise<AsyncGenerator<FeedEvent, void>> {
  const first = await connect(options, options.from);
  return follow(options, first);
}

async function* follow(options: FeedOptions, first: Connection): AsyncGenerator<FeedEvent, void> {
  let connection = first;
  for (;;) {
    let { last } = connection;
    try {
      for await (const message of connection.messages) {
        if (message.id !== undefined) last = Number(message.id);
        if (message.event === undefined) continue;
        const id = message.id === undefined ? {} : { id: Number(message.id) };
        yield { ...id, event: message.event, data: JSON.parse(message.data) as never } as FeedEvent;
      }
    } catch (error) {
      if (options.signal.aborted) return;
      if (!isOfConnection(error)) throw error;
    }
    if (options.signal.aborted) return;
    const next = await reconnect(options, last);
    if (!next) return;
    connection = next;
  }
}

/** Tries until it is connected; null when nobody waits for it any more. @throws ApiError for who may no longer listen */
async function reconnect(options: FeedOptions, last: number | undefined): Promise<Connection | null> {
  for (let tries = 1; ; tries++) {
    options.onBreak?.(tries);
    try {
      await delay(waits[tries - 1] ?? 2000, undefined, { signal: options.signal });
      return await connect(options, last);
    } catch (error) {
      if (options.signal.aborted) return null;
      // 429 and 503 pass, and so does a server that isn't there yet.
      const isFinal = error instanceof ApiError && ![429, 503].includes(error.status);
      if (isFinal || !(error instanceof ApiError || error instanceof UnreachableError)) throw error;
    }
  }
}

type Connection = {
  messages: AsyncIterable<{ id?: string | undefined; event?: string | undefined; data: string }>;
  /** The number behind which it goes on. */
  last: number | undefined;
};

async function connect(options: FeedOptions, last: number | undefined): Promise<Connection> {
  const { addressOf, workspaceId, signal } = options;
  const address = addressOf();
  if (!address) throw new UnreachableError("nothing runs here");
  const response = await fetch(`${address.url}/api/v1/workspaces/${workspaceId}/events`, {
    headers: {
      Authorization: `Bearer ${address.token}`,
      Accept: "text/event-stream",
      ...(last === undefined ? {} : { "Last-Event-ID": String(last) }),
    },
    signal,
  }).catch((error: unknown) => {
    throw new UnreachableError(`nothing answers at ${address.url}`, { cause: error });
  });
  if (!response.ok || !response.body) {
    const problem = (await response.json().catch(() => ({}))) as Partial<ApiRecord<"Problem">>;
    throw new ApiError(response.status, problem.error ?? {});
  }
  const text = response.body.pipeThrough(new TextDecoderStream());
  const begins = response.headers.get("Last-Event-ID");
  return {
    messages: text.pipeThrough(new EventSourceParserStream()),
    last: begins === null ? last : Number(begins),
  };
}

/** Tests for a broken connection: fetch throws a TypeError, with the reason as its cause. */
const isOfConnection = (error: unknown) => error instanceof TypeError || (error as Error).name === "AbortError";
