/** Notices when the answer to a tool call will never come. The MCP SDK waits for ever when a server dies while it answers. */

import { fetch } from "../../../proc/http/fetch.ts";
import { PlainResponse } from "../../../proc/http/response.ts";

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** A stream that has ended may still be on its way through the SDK's parsers. */
const parseGraceMs = 1_000;

/** The error of the SDK's transport when it gives up resuming a stream: a plain Error, so that its words are all there is to know it by. */
const reconnectionFailed = "Maximum reconnection attempts";

/** Watches one connection, on which one call is under way at a time. */
export class AnswerWatch {
  #call = newCall();

  /** To be asked before a call is sent: rejects when its answer is lost, and never resolves. */
  nextIsLost(): Promise<never> {
    this.#call = newCall();
    return this.#call.lost;
  }

  /** The `fetch` of the SDK's transport. Redirects are refused: they would carry the token elsewhere. */
  fetch: Fetch = async (url, init) => {
    const call = this.#call;
    const response = await fetch(url, { ...init, redirect: "error" });
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
    if (init?.method !== "POST" || !isStream || !response.body) return response;
    return new PlainResponse(ReadableStream.from(watched(response.body, call)), response);
  };

  /** The `onerror` of the SDK's client. */
  onError = (error: Error): void => {
    if (this.#call.isResuming && error.message.startsWith(reconnectionFailed))
      this.#call.lose("it can't be reached again");
  };
}

/** The answer to a call will never come. */
export class LostAnswerError extends Error {
  override name = "LostAnswerError";
  constructor(why: string) {
    super(`the tool server went away before it answered (${why})`);
  }
}

type Call = { lost: Promise<never>; lose(why: string): void; isResuming: boolean };

function newCall(): Call {
  const { promise, reject } = Promise.withResolvers<never>();
  // The answer usually comes: then nobody waits for this any more.
  promise.catch(() => {});
  const lose = (why: string) => reject(new LostAnswerError(why));
  return { lost: promise, lose, isResuming: false };
}

async function* watched(body: ReadableStream<Uint8Array>, call: Call): AsyncGenerator<Uint8Array> {
  let hasIds = false;
  try {
    for await (const chunk of body) {
      hasIds ||= /(^|\n)id:/.test(Buffer.from(chunk).toString("latin1"));
      yield chunk;
    }
  } finally {
    // The SDK resumes a stream of events that have ids.
    if (hasIds) call.isResuming = true;
    else setTimeout(() => call.lose("its answer broke off"), parseGraceMs).unref();
  }
}
