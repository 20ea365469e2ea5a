/** Server-sent events that aren't a workspace's, to one who listens: as fast as they read, until either side closes. */
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { ServerEvent, ServerEvents } from "../table/operation.ts";

export type SendDeps = {
  /** Aborted when either side closes: it ends the events. */
  gone: AbortController;
  /** Whether whoever listens still may. */
  isAllowed: () => Promise<boolean>;
  /** Milliseconds for which one may not read what waits for it before it is closed. It comes back where it was. */
  unreadMs: number;
  heartbeatMs: number;
  /** Ends it. */
  signal: AbortSignal;
};

export async function sendEvents(
  response: ServerResponse,
  events: ServerEvents,
  { gone, isAllowed, unreadMs, heartbeatMs, signal }: SendDeps,
): Promise<void> {
  const close = () => gone.abort();
  response.once("close", close);
  response.writeHead(200, {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-store",
    Connection: "keep-alive",
    "X-Accel-Buffering": "no",
    ...(events.position !== undefined && { "Last-Event-ID": events.position }),
  });
  response.write(": listening\n\n");
  const beat = setInterval(() => {
    if (!response.writableNeedDrain) response.write(": beat\n\n");
    void isAllowed().then((may) => may || close(), close);
  }, heartbeatMs);
  signal.addEventListener("abort", close, { once: true });
  const until = gone.signal;
  try {
    for await (const event of events) {
      if (until.aborted) return;
      if (!response.write(frameOf(event)) && !(await hasRead(response, unreadMs, until))) return;
    }
    response.end();
  } catch (error) {
    if (!until.aborted) throw error;
  } finally {
    clearInterval(beat);
    signal.removeEventListener("abort", close);
    gone.abort();
    if (!response.writableEnded) response.destroy();
  }
}

const frameOf = ({ id, event, data }: ServerEvent) =>
  `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** Whether it reads what waits for it in time. */
async function hasRead(response: ServerResponse, withinMs: number, signal: AbortSignal): Promise<boolean> {
  try {
    await once(response, "drain", { signal: AbortSignal.any([AbortSignal.timeout(withinMs), signal]) });
    return true;
  } catch {
    return false;
  }
}
