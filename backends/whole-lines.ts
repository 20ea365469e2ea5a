/** Stdout as a file: each line whole, or an error. Node's own stream drops the rest when a nearly full disk writes a part. */
import { fstatSync, writeSync } from "node:fs";
import { Writable } from "node:stream";

/** A stream for a file descriptor that is a file's; `otherwise` for a pipe or a terminal. */
export function wholeLines(descriptor: number, otherwise: Writable): Writable {
  if (!fstatSync(descriptor).isFile()) return otherwise;
  return new Writable({
    write(chunk: Buffer, _, done) {
      try {
        for (let written = 0; written < chunk.length; ) written += writeSync(descriptor, chunk, written);
        done();
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
      }
    },
  });
}
