/** Failed sends as delivery errors, in words that say what to do. */
import { z } from "zod";
import { visibleLine } from "../../conversation/marks/plain-text.ts";
import { PermanentDeliveryError, RetryableDeliveryError } from "../adapter/delivery-errors.ts";
import { NoAnswerError, RefusedCallError } from "./signal-rpc.ts";

/** From signal-cli, `SignalJsonRpcCommandHandler`. */
const codes = { user: -1, untrusted: -4, rateLimit: -5 };
/** From JSON-RPC: a call that isn't understood. */
const misunderstood = [-32600, -32601, -32602];

const SendResult = z.looseObject({
  type: z.string(),
  token: z.string().nullish(),
  retryAfterSeconds: z.number().nonnegative().nullish(),
});
const Failed = z.looseObject({ response: z.looseObject({ results: z.array(SendResult) }) });

export function toDeliveryError(error: unknown, number: string): Error {
  if (error instanceof RefusedCallError) return errorOfRefusal(error, number);
  if (!(error instanceof NoAnswerError)) return error instanceof Error ? error : new Error(String(error));
  if (error.isSent) return new Error(error.message);
  return new RetryableDeliveryError(error.message);
}

function errorOfRefusal({ code, message, data }: RefusedCallError, number: string): Error {
  const results = Failed.safeParse(data).data?.response.results ?? [];
  const types = new Set(results.map(({ type }) => type));
  const text = `Signal: ${visibleLine(message)}`;
  if (results.some(({ token }) => token))
    return new PermanentDeliveryError(
      `Signal asks for a captcha before more is sent: signal-cli -a ${number} submitRateLimitChallenge --help says how`,
    );
  if (code === codes.rateLimit) {
    const seconds = Math.max(...results.map(({ retryAfterSeconds }) => retryAfterSeconds ?? 0), 0);
    return new RetryableDeliveryError(text, seconds === 0 ? undefined : seconds * 1000);
  }
  if (code === codes.untrusted || types.has("IDENTITY_FAILURE"))
    return new PermanentDeliveryError(
      `Signal: their safety number has changed, and isn't trusted: compare it, then signal-cli -a ${number} trust`,
    );
  // Whether it left nobody knows: the network failed while it was sent.
  if (types.has("NETWORK_FAILURE")) return new Error(`${text}: the network failed`);
  if (types.has("UNREGISTERED_FAILURE")) return new PermanentDeliveryError("Signal: that account isn't registered");
  if (code === codes.user || misunderstood.includes(code)) return new PermanentDeliveryError(text);
  return new Error(text);
}
