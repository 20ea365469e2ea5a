/** HTTP out: a message is posted to the user's address, signed as those that come in. */
import type { OutboundMessage } from "../../protocol/agents/channel.ts";
import { failureOfStatus, RetryableDeliveryError, unconnectedCode } from "../adapter/delivery-errors.ts";
import { retryAfterMs } from "../adapter/calls/retry-after.ts";
import { signedHeaders } from "./signature.ts";

const withinMs = 30_000;

/** @throws PermanentDeliveryError, RetryableDeliveryError, or another error when nobody knows whether it arrived */
export async function postMessage(
  url: string,
  secret: string,
  message: OutboundMessage,
  signal: AbortSignal,
): Promise<void> {
  // The rest of an address may be a secret, and what is said of a failure goes to the agent.
  const { host } = new URL(url);
  const body = JSON.stringify(message);
  const headers = {
    "Content-Type": "application/json",
    "Idempotency-Key": message.id,
    ...signedHeaders(secret, { id: message.id, body }, Date.now()),
  };
  const response = await fetch(url, {
    method: "POST",
    body,
    headers,
    // Signed for one address and for no other.
    redirect: "manual",
    signal: AbortSignal.any([signal, AbortSignal.timeout(withinMs)]),
  }).catch((error: unknown) => {
    throw explained(error, host);
  });
  await response.body?.cancel().catch(() => {});
  const failure = failureOfStatus(response.status, host, retryAfterMs(response.headers.get("retry-after"), Date.now()));
  if (failure) throw failure;
}

function explained(error: unknown, host: string): Error {
  const code = unconnectedCode(error);
  if (code !== undefined)
    return new RetryableDeliveryError(`${host} can't be reached: ${code}`, undefined, { cause: error });
  const why = error instanceof Error ? causeText(error) : String(error);
  return new Error(`${host} didn't answer: ${why}`, { cause: error });
}

const causeText = ({ message, cause }: Error) => (cause instanceof Error ? cause.message : message);
