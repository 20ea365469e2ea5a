/** The body of a request, as the bytes are, as long as it keeps to a length. */
import type { IncomingMessage } from "node:http";

/**
 * Reads the body; undefined if it is longer than allowed. What is too much is read and dropped, since a client that is still
 * writing when the connection closes doesn't get to see its answer; but not without end.
 */
export async function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request) {
    if (!Buffer.isBuffer(part)) continue;
    length += part.length;
    if (length <= maxBytes) parts.push(part);
    else parts.length = 0;
    if (length > maxBytes * 2) break;
  }
  return length <= maxBytes ? Buffer.concat(parts) : undefined;
}
