/** Reading of an answer that may be of any size. */

/** The body of an answer. @throws Error when it is longer than that */
export async function readBounded(response: Response, maxBytes: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  // Breaking off cancels the rest.
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    if (size > maxBytes) throw new Error(`an answer of more than ${maxBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}
