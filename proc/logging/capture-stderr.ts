/** Captured stderr: output of libraries and of Node itself becomes lines of the program's log. Output of a dying engine is beyond reach. */
import type { Logger } from "pino";
import { type Line, LineSplitter } from "../../files/lines/line-splitter.ts";

/** Bytes of a longer line's head, which alone is logged. */
const maxLength = 16_384;

/** Redirects everything that JavaScript prints on stderr into the log. */
export function captureStderr(log: Logger): void {
  const splitter = new LineSplitter(0, maxLength);
  const tell = (lines: Iterable<Line>) => {
    for (const { text } of lines) if (text.trim() !== "") log.warn({ stream: "stderr" }, text);
  };
  type Done = (error?: Error | null) => void;
  process.stderr.write = (chunk: string | Uint8Array, encoding?: BufferEncoding | Done, done?: Done) => {
    tell(splitter.push(typeof chunk === "string" ? Buffer.from(chunk) : Buffer.copyBytesFrom(chunk)));
    const told = typeof encoding === "function" ? encoding : done;
    if (told) process.nextTick(told);
    return true;
  };
  process.on("exit", () => tell(splitter.finish()));
  process.removeAllListeners("warning"); // Node's own, which prints
  process.on("warning", (warning) => log.warn({ err: warning }, "a warning of Node"));
}
