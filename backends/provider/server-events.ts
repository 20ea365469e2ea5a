/**
 * A streamed response as the JSON values that its server sends. OpenAI's SDK has a reader too, but doesn't tell a stream that
 * was ended by its `[DONE]` from one that was cut off, and some servers say nothing else at the end.
 */
import { createParser } from "eventsource-parser";
import { z } from "zod";
import { parseJson } from "../../protocol/json/parse-json.ts";
import type { ProviderError } from "./provider.ts";
import { UnreadableError } from "./unreadable-error.ts";

/** The failures of a provider's streams, in its own words and without its key. */
export type StreamFailures = {
  /** The stream can be read no further. */
  broken(cause: unknown): ProviderError;
  /** A page came where a stream should be. */
  page(status: number, page: string): ProviderError;
};

/** A stream is closed properly when it ends in this. */
export const streamDone = Symbol("done");

/** Longer than any answer, and short of what a process can hold. */
const maxEventLength = 64 * 1024 * 1024;

/** Length of a page that is read. */
const pageLength = 1024;

/**
 * The values one after the other, `streamDone` last if the server says so. Closes the connection when its reader leaves.
 * @throws ProviderError
 */
export async function* serverEvents(response: Response, failures: StreamFailures): AsyncGenerator {
  const { body, headers } = response;
  if (!body) throw failures.broken(new UnreadableError("the answer is empty"));
  const pieces = textOf(body, failures);
  const contentType = headers.get("content-type") ?? "";
  if (/html/i.test(contentType)) throw failures.page(response.status, await beginningOf(pieces));
  if (/application\/json/i.test(contentType)) yield* wholeAnswer(pieces, failures);
  else yield* streamed(pieces, failures);
}

/** A server's data, parsed by a schema. @throws ProviderError */
export function parseServerData<T extends z.ZodType>(schema: T, data: unknown, failures: StreamFailures): z.infer<T> {
  const result = schema.safeParse(data);
  if (result.success) return result.data;
  const problem = z.prettifyError(result.error).replaceAll(/\s+/g, " ");
  throw failures.broken(new UnreadableError(`an event that can't be read: ${problem}`));
}

/** From a server that doesn't stream, whatever it is asked. */
async function* wholeAnswer(pieces: AsyncIterable<string>, failures: StreamFailures): AsyncGenerator {
  let text = "";
  for await (const piece of pieces) {
    text += piece;
    if (text.length > maxEventLength) throw failures.broken(new UnreadableError("an answer without an end"));
  }
  yield parsed(text, failures);
  yield streamDone;
}

async function* streamed(pieces: AsyncIterable<string>, failures: StreamFailures): AsyncGenerator {
  const events: string[] = [];
  const parser = createParser({
    maxBufferSize: maxEventLength,
    onEvent: ({ data }) => void events.push(data),
    // Fields that nobody knows are left out.
    onError: ({ type }) => {
      if (type === "max-buffer-size-exceeded") throw failures.broken(new UnreadableError("an event without an end"));
    },
  });
  for await (const piece of pieces) {
    parser.feed(piece);
    for (const text of events.splice(0)) {
      const isDone = text.trim() === "[DONE]";
      yield isDone ? streamDone : parsed(text, failures);
      if (isDone) return;
    }
  }
}

async function* textOf(body: ReadableStream<Uint8Array>, failures: StreamFailures): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { value, done: isOver } = await reader.read().catch((error: unknown) => {
        throw failures.broken(error);
      });
      if (isOver) return;
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    // Not awaited: closing a connection that is stuck would be stuck as well.
    reader.cancel().catch(() => {});
  }
}

function parsed(text: string, failures: StreamFailures): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw failures.broken(new UnreadableError("an event that isn't JSON", { cause: error }));
  }
}

async function beginningOf(pieces: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const piece of pieces) {
    text += piece;
    if (text.length >= pageLength) break;
  }
  return text;
}
