/** The port to requests on the bus, and to what the bus and other workers have of a run's file. */
import type { Bus } from "../../bus/connection/connect.ts";
import { storedEventLines } from "../../bus/events/event-history.ts";
import { linesFrom } from "../../bus/events/run-lines.ts";
import { publishAccepted, publishRejection } from "../../bus/runs/control.ts";
import { type DeadLetter, putDeadLetter } from "../../bus/runs/dead-letters.ts";
import {
  type RequestDelivery,
  eraseDelivery,
  eraseRequest,
  isCrowded,
  publishRequest,
  storedRequest,
} from "../../bus/runs/requests.ts";
import type { Request } from "../../protocol/runs/request/request.ts";
import type { Rejection } from "../../protocol/runs/subjects.ts";

export type BusRequests = ReturnType<typeof busRequests>;

export function busRequests(bus: Bus) {
  return {
    stored: (streamSeq: number) => storedRequest(bus, streamSeq),
    publish: (request: Request, hash: string) => publishRequest(bus, request, hash),
    erase: (streamSeq: number, isIt: (data: Uint8Array) => boolean | Promise<boolean>) =>
      eraseRequest(bus, streamSeq, isIt),
    eraseDelivery: (delivery: RequestDelivery) => eraseDelivery(bus, delivery),
    isCrowded: () => isCrowded(bus),
    accepted: (agentId: string, replyTo: string | null) => publishAccepted(bus, agentId, replyTo),
    rejected: (rejection: Rejection, replyTo: string | null) => publishRejection(bus, rejection, replyTo),
    deadLetter: (letter: DeadLetter) => putDeadLetter(bus, letter),

    /** The lines of a run's file that the bus has, but for the first ones. */
    lines: (agentId: string, after = 0): AsyncIterable<string> => storedEventLines(bus, agentId, after),
    /** The lines of a run's file as whoever keeps copies has them. */
    copiedLines: (agentId: string): AsyncIterable<string> => linesFrom(bus, "copies", agentId, 0),
  };
}
