/** The files of runs, piece by piece, from one worker to another: what was too long for the bus, and what the bus has lost. Clients can't ask. */
import { errors, headers } from "@nats-io/transport-node";
import { z } from "zod";
import { LineCutter, maxFileLineBytes } from "../../files/lines/line-cutter.ts";
import { AgentId } from "../../protocol/names/names.ts";
import { subjects } from "../../protocol/runs/subjects.ts";
import type { Bus } from "../connection/connect.ts";
import { tryParseJson } from "../../protocol/json/parse-json.ts";

const Ask = z.object({ offset: z.number().int().nonnegative() });

/** A quarter of what a message may have. */
const pieceBytes = 256 * 1024;
const answerMs = 3000;
/** On an answer: that there is something at all. */
const foundHeader = "Cortex-Found";

/** The file that is asked for: that of the worker that has the run, or a mirrored copy. */
export type LineSource = { worker: string } | "copies";

const subjectOf = (whose: LineSource, agentId: string) =>
  whose === "copies" ? subjects.copies(agentId) : subjects.lines(whose.worker, agentId);

/** @param read a piece of a run's file, null when there is no such file */
export function serveLines(
  bus: Bus,
  whose: LineSource,
  read: (agentId: string, offset: number, maxBytes: number) => Buffer | null,
): void {
  bus.connection.subscribe(subjectOf(whose, "*"), {
    callback: (error, message) => {
      const agentId = AgentId.safeParse(message.subject.split(".").at(-1));
      const ask = Ask.safeParse(tryParseJson(message.string()));
      if (error || !agentId.success || !ask.success) return;
      const piece = read(agentId.data, ask.data.offset, pieceBytes);
      const head = headers();
      if (piece) head.set(foundHeader, "1");
      message.respond(piece ?? "", { headers: head });
    },
  });
}

/** The whole lines of a run's file elsewhere, from a byte on, until its present end. None when nobody answers, or has it. */
export async function* linesFrom(bus: Bus, whose: LineSource, agentId: string, offset: number): AsyncGenerator<string> {
  const cutter = new LineCutter(offset);
  for (let at = offset; ; ) {
    const piece = await pieceFrom(bus, whose, agentId, at);
    if (!piece || piece.length === 0) return;
    at += piece.length;
    for (const { bytes } of cutter.push(Buffer.from(piece))) yield bytes.toString("utf8");
    if (cutter.tornBytes > maxFileLineBytes) return; // no line of a run's
  }
}

async function pieceFrom(bus: Bus, whose: LineSource, agentId: string, offset: number): Promise<Uint8Array | null> {
  try {
    const ask = JSON.stringify({ offset });
    const answer = await bus.connection.request(subjectOf(whose, agentId), ask, { timeout: answerMs });
    return answer.headers?.get(foundHeader) ? answer.data : null;
  } catch (error) {
    if (error instanceof errors.TimeoutError || error instanceof errors.RequestError) return null;
    throw error;
  }
}
