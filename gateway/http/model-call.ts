/** One exchange with a provider: sent as it came, handed back as it comes, its usage read on the way. */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { messageOf } from "../../files/errors/error-message.ts";
import type { Exchange } from "../../journal/runs/recorded-calls.ts";
import type { Dialect } from "../dialects/dialect.ts";
import { AnswerReader } from "../metering/answer-reader.ts";
import { returnedHeaders } from "./headers.ts";
import { AnswerRecorder } from "./recorder.ts";
import { NotReachedError, sendUpstream, type UpstreamRequest } from "./upstream.ts";

/**
 * The end of an exchange.
 * @field status of the provider's answer; null: none came
 * @field isSent whether the provider may have begun to work
 * @field isWhole whether the answer has come to its end
 */
export type ExchangeEnd = {
  status: number | null;
  isSent: boolean;
  isWhole: boolean;
  reader: AnswerReader | null;
  response: Exchange["response"];
  error: string | null;
};

export type ExchangeDeps = {
  dialect: Dialect;
  /** Whether its answer is kept. */
  isRecorded: boolean;
  signal: AbortSignal;
};

/** Resolves when nothing more comes. Where no answer came, whoever calls says so to the client. */
export async function exchange(
  outgoing: UpstreamRequest,
  answer: ServerResponse,
  { dialect, isRecorded, signal }: ExchangeDeps,
): Promise<ExchangeEnd> {
  let incoming: IncomingMessage;
  try {
    incoming = await sendUpstream(outgoing, signal);
  } catch (error) {
    const isSent = !(error instanceof NotReachedError);
    return { status: null, isSent, isWhole: false, reader: null, response: null, error: messageOf(error) };
  }
  const status = incoming.statusCode ?? 502;
  const reader = new AnswerReader(dialect, incoming.headers["content-type"] ?? "");
  const recorder = isRecorded ? new AnswerRecorder() : null;
  incoming.on("data", (bytes: Buffer) => {
    reader.push(bytes);
    recorder?.push(bytes);
  });
  const error = await handBack(incoming, answer, status);
  reader.end();
  const isWhole = incoming.complete;
  const response = recorder?.response(status, incoming.headersDistinct, isWhole) ?? null;
  return { status, isSent: true, isWhole, reader, response, error };
}

/** A client that reads slowly slows its own provider's stream down, and nobody else's. One that leaves ends it. */
async function handBack(incoming: IncomingMessage, answer: ServerResponse, status: number): Promise<string | null> {
  let failure: string | null = null;
  incoming.on("error", (error) => (failure = messageOf(error)));
  answer.on("error", () => incoming.destroy());
  answer.once("close", () => answer.writableFinished || incoming.destroy());
  if (answer.destroyed) incoming.destroy();
  const closed = incoming.closed ? Promise.resolve() : once(incoming, "close").catch(() => {});
  try {
    answer.writeHead(status, returnedHeaders(incoming.headersDistinct));
    incoming.pipe(answer);
    // What has come with the headers goes with them.
    setImmediate(() => answer.writableEnded || answer.destroyed || answer.flushHeaders());
  } catch (error) {
    // Of the headers, one that Node refuses to send.
    failure = messageOf(error);
    incoming.destroy();
  }
  await closed;
  // One that broke off mustn't look like one that has ended.
  if (!incoming.complete) answer.destroy();
  return failure;
}
