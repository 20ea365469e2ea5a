/** Fields of a small form that was sent. */
import type { IncomingMessage } from "node:http";

const maxBytes = 4096;

/** Null: it is no form, or too long. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams | null> {
  if (!request.headers["content-type"]?.startsWith("application/x-www-form-urlencoded")) return null;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) return null;
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString());
}
