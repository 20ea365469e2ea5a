/** A request to the webhook, signed as Standard Webhooks has it. */
import { createHmac, randomUUID } from "node:crypto";
import { secret } from "../channel-system.ts";

export const signedRequest = (
  url: string,
  body = "",
  { method = "POST", id = newId(), agoSeconds = 0 } = {},
): Promise<Response> =>
  fetch(url, { method, headers: signedHeaders(body, id, agoSeconds), ...(method === "POST" && { body }) });

/** @param agoSeconds for how long it was on its way */
export function signedHeaders(body: string, id = newId(), agoSeconds = 0): Record<string, string> {
  const timestamp = Math.floor(Date.now() / 1000) - agoSeconds;
  const signature = createHmac("sha256", secret).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": String(timestamp), "webhook-signature": `v1,${signature}` };
}

const newId = () => `msg_${randomUUID()}`;
