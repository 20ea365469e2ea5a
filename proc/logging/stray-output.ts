/** What libraries and Node itself print on stderr, as lines of the program's log. What the engine prints when it dies is beyond reach. */
import { StringDecoder } from "node:string_decoder";
import type { Logger } from "pino";

/** A line that doesn't end is logged in pieces. */
const maxLength = 16_384;

/** From now on nothing that is printed on stderr by JavaScript reaches stderr. */
export function catchStrayOutput(log: Logger): void {
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
