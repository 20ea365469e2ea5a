/** Captured stderr: output of libraries and of Node itself becomes lines of the program's log. Output of a dying engine is beyond reach. */
import { StringDecoder } from "node:string_decoder";
import type { Logger } from "pino";

/** A line that doesn't end is logged in pieces. */
const maxLength = 16_384;

/** Redirects everything that JavaScript prints on stderr into the log. */
export function captureStderr(log: Logger): void {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  const take = (chunk: string | Uint8Array) => {
    const lines = (rest + (typeof chunk === "string" ? chunk : decoder.write(Buffer.from(chunk)))).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > maxLength) {
      lines.push(rest);
      rest = "";
    }
    for (const line of lines) if (line.trim() !== "") log.warn({ stream: "stderr" }, line);
  };
  type Done = (error?: Error | null) => void;
  process.stderr.write = (chunk: string | Uint8Array, encoding?: BufferEncoding | Done, done?: Done) => {
    take(chunk);
    const told = typeof encoding === "function" ? encoding : done;
    if (told) process.nextTick(told);
    return true;
  };
  process.on("exit", () => rest && log.warn({ stream: "stderr" }, rest));
  process.removeAllListeners("warning"); // Node's own, which prints
  process.on("warning", (warning) => log.warn({ err: warning }, "a warning of Node"));
}
