/**
 * Connection to Slack in Socket Mode: made anew whenever it ends, until the signal. The client's own reconnecting isn't used: it
 * ends the process when Slack can't be asked for an address.
 */
import { SocketModeClient } from "@slack/socket-mode";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { Logger } from "../../../proc/logging/log.ts";
import { tryParseJson } from "../../../protocol/json/parse-json.ts";
import { longestAskedMs } from "../../adapter/calls/retry-after.ts";
import { RetryableDeliveryError } from "../../adapter/delivery-errors.ts";
import { clientOptions, silentLogger } from "./client.ts";
import { SlackRefusalError, toDeliveryError, TokenRefusedError } from "./failures.ts";

const firstPauseMs = 500;
const longestPauseMs = 30_000;
const openMs = 20_000;
/** Milliseconds for which Slack may take to say hello. */
const helloMs = 60_000;
/** Milliseconds without an answer to a ping, and without a ping of Slack's. */
const clientPingTimeout = 20_000;
const serverPingTimeout = 60_000;

/** Refusals of a connection that only another token, or another setting of the app, ends. */
const hopelessCodes = ["missing_scope", "invalid_app", "no_permission"];

/** Something that Slack hands over. It comes again until it is acknowledged. */
export type Envelope = { type: string; body: unknown; acknowledge: (response?: object) => Promise<void> };

export type ConnectionDeps = {
  appToken: string;
  apiUrl: string;
  /** Called before each connection. @throws as calls do */
  beforeEach: () => Promise<void>;
  handle: (envelope: Envelope) => void;
  log: Logger;
  signal: AbortSignal;
};

/** Until the signal. @throws TokenRefusedError */
export async function keepConnected(deps: ConnectionDeps): Promise<void> {
  const { beforeEach, log, signal } = deps;
  let pauseMs = firstPauseMs;
  while (!signal.aborted) {
    let waitMs = pauseMs;
    try {
      await beforeEach();
      const { closed } = await connect(deps);
      log.info("connected to Slack");
      pauseMs = firstPauseMs;
      waitMs = pauseMs;
      await closed;
      if (!signal.aborted) log.info("the connection to Slack has ended: it is made anew");
    } catch (error) {
      if (signal.aborted) return;
      const problem = toDeliveryError(error);
      if (problem instanceof TokenRefusedError) throw problem;
      if (problem instanceof SlackRefusalError && hopelessCodes.includes(problem.code))
        throw new TokenRefusedError(`Slack refuses the connection: ${problem.code}`);
      if (problem instanceof RetryableDeliveryError) waitMs = Math.min(problem.afterMs ?? pauseMs, longestAskedMs);
      log.warn({ error: problem.message, pause_ms: waitMs }, "Slack isn't connected");
    }
    await delay(waitMs, undefined, { signal }).catch(() => {});
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  }
}

/** Resolves when Slack has said hello; `closed` when that connection has ended. */
async function connect({ appToken, apiUrl, handle, signal }: ConnectionDeps): Promise<{ closed: Promise<void> }> {
  const client = new SocketModeClient({
    appToken,
    autoReconnectEnabled: false,
    clientPingTimeout,
    serverPingTimeout,
    logger: silentLogger,
    clientOptions: clientOptions(apiUrl, openMs),
  });
  keepOthersOut(client);
  const leave = () => void client.disconnect().catch(() => {});
  let timer: NodeJS.Timeout | undefined;
  client.once("connecting", () => (timer = setTimeout(leave, helloMs)));
  const closed = new Promise<void>((resolve) => client.once("disconnected", () => resolve()));
  void closed.then(() => signal.removeEventListener("abort", leave));
  signal.addEventListener("abort", leave, { once: true });
  client.on("slack_event", ({ type, body, ack }: { type: string; body: unknown; ack: Envelope["acknowledge"] }) =>
    handle({ type, body, acknowledge: ack }),
  );
  try {
    await client.start();
    return { closed };
  } catch (error) {
    signal.removeEventListener("abort", leave);
    throw error ?? new RetryableDeliveryError("Slack has closed the connection");
  } finally {
    clearTimeout(timer);
  }
}

/** Names of the client's own events: it emits those of messages beside them. */
const ownEvents = [
  ..."authenticated close connected connecting disconnected disconnecting error reconnecting slack_event".split(" "),
  "outgoing_message",
  "ws_message",
];
const name = z.string().refine((text) => !ownEvents.includes(text));
const Handed = z.union([
  z.looseObject({ type: z.enum(["hello", "disconnect"]) }),
  z.looseObject({
    type: z.literal("events_api"),
    envelope_id: z.string().max(256),
    payload: z.looseObject({ event: z.looseObject({ type: name }) }),
  }),
  z.looseObject({ type: name, envelope_id: z.string().max(256), payload: z.looseObject({}) }),
]);

/** The client takes whatever comes for what it should be, and ends the process where it isn't. */
function keepOthersOut(client: SocketModeClient): void {
  const [take] = client.listeners("ws_message");
  client.removeAllListeners("ws_message");
  client.on("ws_message", (data: unknown, isBinary: boolean) => {
    if (typeof data === "string" && Handed.safeParse(tryParseJson(data)).success) take?.(data, isBinary);
  });
}
