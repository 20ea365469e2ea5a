/** The end of a file. */
import { open } from "node:fs/promises";
import { hasCode } from "../errors/errno.ts";

/** The last bytes of a file as text, from the first whole character on; empty when there is no file. */
export async function tailOf(path: string, maxBytes: number): Promise<string> {
  try {
    await using file = await open(path, "r");
    const { size } = await file.stat();
    const length = Math.min(size, maxBytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.subarray(0, bytesRead).toString("utf8").replace(/^�+/, "");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return "";
    throw error;
  }
}
