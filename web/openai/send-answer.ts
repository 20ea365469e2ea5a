/** An answer on its way to the client: whole or as a stream, in the dialect that was asked in. */
import type { FastifyReply } from "fastify";
import type { Asked } from "./requests/asked.ts";
import { chatAnswer, chatChunk, type ChatHead, usageChunk } from "./answers/chat-answer.ts";
import type { AnswerEnd, DoorAnswer } from "./answers/door-answer.ts";
import { EventStream } from "./answers/event-stream.ts";
import { errorBody, OpenAiError } from "./requests/openai-error.ts";
import {
  closingEvents,
  deltaEvent,
  failedEvent,
  openingEvents,
  type ResponseHead,
  wholeResponse,
} from "./answers/responses-answer.ts";

/** The header that names the run of an answer. */
export const runHeader = "X-Cortex-Run";

type Sent = { reply: FastifyReply; asked: Asked; answer: DoorAnswer; onError: (error: unknown) => OpenAiError };

const headOf = ({ asked, answer }: Sent): ChatHead => ({
  run: answer.run,
  model: asked.model,
  createdSeconds: Math.floor(Number(answer.run) / 1000),
});

export async function sendChat(sent: Sent, includeUsage: boolean): Promise<unknown> {
  const head = headOf(sent);
  if (!sent.asked.stream) return whole(sent, (end) => chatAnswer(head, end));
  await streamed(
    sent,
    async (stream) => {
      await stream.send(chatChunk(head, { role: "assistant", content: "" }, null, includeUsage));
      const end = await each(sent.answer.pieces, (content) =>
        stream.send(chatChunk(head, { content }, null, includeUsage)),
      );
      await stream.send(chatChunk(head, {}, "stop", includeUsage));
      if (includeUsage) await stream.send(usageChunk(head, end));
      await stream.send("[DONE]");
    },
    (stream, error) => stream.send(errorBody(error)),
  );
  return sent.reply;
}

export async function sendResponse(sent: Sent, previous: string | null): Promise<unknown> {
  const head: ResponseHead = { ...headOf(sent), previous };
  if (!sent.asked.stream) return whole(sent, (end) => wholeResponse(head, end));
  let number = 0;
  const send = (stream: EventStream, event: { type: string }) =>
    stream.send({ ...event, sequence_number: number++ }, event.type);
  await streamed(
    sent,
    async (stream) => {
      for (const event of openingEvents(head)) await send(stream, event);
      let text = "";
      const end = await each(sent.answer.pieces, (delta) => {
        text += delta;
        return send(stream, deltaEvent(head, delta));
      });
      for (const event of closingEvents(head, { ...end, text })) await send(stream, event);
    },
    (stream, error) => send(stream, failedEvent(head, error)),
  );
  return sent.reply;
}

async function whole({ reply, answer, onError }: Sent, bodyOf: (end: AnswerEnd) => object): Promise<unknown> {
  reply.header(runHeader, answer.run);
  try {
    return bodyOf(await each(answer.pieces, async () => {}));
  } catch (error) {
    throw onError(error);
  }
}

async function streamed(
  { reply, answer, onError }: Sent,
  tell: (stream: EventStream) => Promise<void>,
  fail: (stream: EventStream, error: OpenAiError) => Promise<void>,
): Promise<void> {
  reply.hijack();
  using stream = new EventStream(reply.raw, { [runHeader]: answer.run });
  try {
    await tell(stream);
  } catch (error) {
    if (!reply.raw.destroyed) await fail(stream, onError(error)).catch(() => {});
  }
}

/** Hands each piece on; returns the end. */
async function each(pieces: DoorAnswer["pieces"], onPiece: (piece: string) => Promise<void>): Promise<AnswerEnd> {
  try {
    for (;;) {
      const next = await pieces.next();
      if (next.done) return next.value;
      await onPiece(next.value);
    }
  } finally {
    // Where the client has left, what the pieces came from is closed.
    await pieces.return({ text: "", usage: null });
  }
}
