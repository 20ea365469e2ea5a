/**
 * `GET /v1/events`: the replies on this channel, as server-sent events. Each listener reads the stream on its own, from
 * the place that its `Last-Event-ID` names: so nothing is missed, and one that reads slowly slows nobody but itself.
 */
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import { lastOutbound, type Outbound, storedOutbound } from "../../bus/agents/channels.ts";
import type { Bus } from "../../bus/connection/connect.ts";
import { HttpError, storedOrRefused } from "../adapter/http-server.ts";

/** So that whoever sits between notices that the connection lives. */
const heartbeatMs = 15_000;

export type EventsLimits = {
  listeners: number;
  /** Milliseconds for which one may not read what waits for it before it is closed. It comes back where it was. */
  unreadMs: number;
};

export const usualEventsLimits: EventsLimits = { listeners: 64, unreadMs: 30_000 };

/** @param signal ends all of them */
export function serveEvents(
  server: FastifyInstance,
  bus: Bus,
  signal: AbortSignal,
  { listeners, unreadMs }: EventsLimits = usualEventsLimits,
): void {
  let open = 0;
  server.get<{ Querystring: { channelId?: string } }>("/v1/events", async (request, reply) => {
    if (open >= listeners) throw new HttpError(503, `${listeners} listen already`);
    // Looked up before the answer begins: whoever has heard that misses nothing that is said from then on.
    const last = await storedOrRefused(lastOutbound(bus, "web"));
    const known = placeOf(request.headers["last-event-id"]);
    // A place behind the last one is of a stream that was lost.
    const from = known === undefined || known > last ? last + 1 : known + 1;
    const { channelId } = request.query;
    reply.hijack();
    open++;
    const gone = new AbortController();
    reply.raw.once("close", () => gone.abort());
    try {
      const until = AbortSignal.any([signal, gone.signal]);
      const isAsked = ({ message }: Outbound) => channelId === undefined || message.channel.channelId === channelId;
      await sendEvents(reply.raw, storedOutbound(bus, "web", from, until), isAsked, unreadMs);
    } finally {
      open--;
      reply.raw.destroy();
    }
  });
}

async function sendEvents(
  response: ServerResponse,
  storedOrRefused: AsyncIterable<Outbound>,
  isAsked: (outbound: Outbound) => boolean,
  unreadMs: number,
): Promise<void> {
  response.writeHead(200, {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-store",
    Connection: "keep-alive",
    "X-Accel-Buffering": "no",
  });
  response.write(": listening\n\n");
  const beat = setInterval(() => {
    if (!response.writableNeedDrain) response.write(": beat\n\n");
  }, heartbeatMs);
  try {
    for await (const outbound of storedOrRefused) {
      if (!isAsked(outbound)) continue;
      const event = `id: ${outbound.position}\nevent: reply\ndata: ${JSON.stringify(outbound.message)}\n\n`;
      if (!response.write(event) && !(await hasRead(response, unreadMs))) return;
    }
  } finally {
    clearInterval(beat);
  }
}

/** Whether it reads what waits for it in time. No more than one event does. */
async function hasRead(response: ServerResponse, withinMs: number): Promise<boolean> {
  try {
    await once(response, "drain", { signal: AbortSignal.timeout(withinMs) });
    return true;
  } catch {
    return false;
  }
}

function placeOf(header: string | string[] | undefined): number | undefined {
  return typeof header === "string" && /^\d{1,15}$/.test(header) ? Number(header) : undefined;
}
