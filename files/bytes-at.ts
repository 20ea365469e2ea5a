/** The bytes of a file, where one that isn't there is empty. */
import { readFileSync } from "node:fs";
import { hasCode } from "./errors/errno.ts";

/** @throws Error when it is there and can't be read */
export function bytesAt(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return Buffer.alloc(0);
    throw error;
  }
}
