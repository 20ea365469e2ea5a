/** A request to the webhook, signed as Standard Webhooks has it. */
import { createHmac, randomUUID } from "node:crypto";
import { secret } from "../channel-system.ts";

export function signedRequest(
  url: string,
  body = "",
  { method = "POST", id = `msg_${randomUUID()}` } = {},
): Promise<Response> {
  const timestamp = Math.floor(Date.now() / 1000);
  const signature = createHmac("sha256", secret).update(`${id}.${timestamp}.${body}`).digest("base64");
  const headers = { "webhook-id": id, "webhook-timestamp": String(timestamp), "webhook-signature": `v1,${signature}` };
  return fetch(url, { method, headers, ...(method === "POST" && { body }) });
}
