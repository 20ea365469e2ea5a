/** Archives of folders, made and read by the system's tar. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { hasCode } from "../../files/errors/errno.ts";

/** Writes all that is in a folder as a tar archive. @throws Error with what tar says */
export async function packFolder(folder: string, to: NodeJS.WritableStream | Transform): Promise<void> {
  const tar = spawn("tar", ["-cf", "-", "-C", folder, "."], { stdio: ["ignore", "pipe", "pipe"] });
  const ended = end(tar);
  await pipeline(tar.stdout, to);
  await ended;
}

/**
 * Unpacks an archive into an empty folder, and nothing beside it: tar refuses absolute paths and `..`, and doesn't write
 * through links. Owners aren't taken from it.
 * @param maxBytes an archive that holds more is refused
 * @throws Error with what tar says
 */
export async function unpackInto(folder: string, from: Readable, maxBytes: number): Promise<void> {
  const tar = spawn("tar", ["-xof", "-", "-C", folder], { stdio: ["pipe", "ignore", "pipe"] });
  const ended = end(tar);
  ended.catch(() => {}); // what the stream says of it comes first
  let bytes = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length;
      done(
        bytes > maxBytes ? new Error(`it unpacks to more than the ${maxBytes} bytes that are free there`) : null,
        chunk,
      );
    },
  });
  try {
    await pipeline(from, counted, tar.stdin);
  } catch (error) {
    // tar that has seen enough closes its end: whether it had all, its exit status says.
    if (!hasClosed(error)) {
      tar.kill("SIGKILL");
      throw error;
    }
  }
  await ended;
}

/** Whether who reads is gone; which of the two it is depends on whether the next write or the news of it comes first. */
function hasClosed(error: unknown): boolean {
  return hasCode(error, "EPIPE", "ERR_STREAM_PREMATURE_CLOSE");
}

async function end(tar: ReturnType<typeof spawn>): Promise<void> {
  let said = "";
  tar.stderr?.on("data", (data: Buffer) => (said = `${said}${data.toString()}`.slice(0, 2000)));
  const [code] = (await once(tar, "close")) as [number | null];
  if (code !== 0) throw new Error(`tar: ${said.trim() || `ended with ${code}`}`);
}
