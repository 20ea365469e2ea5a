/** The body of a request, as long as it keeps to a length. */
import type { IncomingMessage } from "node:http";

/**
 * Reads the body as text; undefined if it is longer than allowed. What is too much is read and dropped, since a client that
 * is still writing when the connection closes doesn't get to see its answer; but not without end.
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request) {
    if (!Buffer.isBuffer(part)) continue;
    length += part.length;
    if (length <= maxBytes) parts.push(part);
    if (length > maxBytes * 4) break;
  }
  return length <= maxBytes ? Buffer.concat(parts).toString("utf8") : undefined;
}
