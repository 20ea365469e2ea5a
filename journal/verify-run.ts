/** Reads a run's file, compressed or not, and says whether its chain holds. */
import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { ChainCheck, type ChainReport, type KeptEnd } from "./hash-chain.ts";

/** @param kept how its file ended, as the heads of ended runs say. Null when the file has gone: a run that was closed or compressed meanwhile has another name. */
export async function verifyRun(
  path: string,
  agentId: string,
  kept: readonly KeptEnd[] = [],
): Promise<ChainReport | null> {
  const check = new ChainCheck(agentId, path.endsWith("_active.jsonl"), kept);
  let rest = Buffer.alloc(0);
  try {
    for await (const chunk of bytesIn(path)) {
      const from = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      rest = Buffer.from(push(check, from));
    }
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    if (error.code === "ENOENT") return null;
    if (!String(error.code).startsWith("Z_")) throw error;
    return check.unreadable(`can't be unpacked: ${error.message}`);
  }
  return check.report(rest.length > 0);
}

/** The check gets whole lines. Returns what is left. */
function push(check: ChainCheck, bytes: Buffer): Buffer {
  let from = 0;
  for (let to = bytes.indexOf(10); to >= 0; to = bytes.indexOf(10, from)) {
    check.push(bytes.subarray(from, to));
    from = to + 1;
  }
  return bytes.subarray(from);
}

async function* bytesIn(path: string): AsyncGenerator<Buffer> {
  const file = createReadStream(path, { highWaterMark: 256 * 1024 });
  if (!path.endsWith(".gz")) return yield* file as AsyncIterable<Buffer>;
  const unpacked: Readable = createGunzip();
  file.on("error", (error) => unpacked.destroy(error)).pipe(unpacked as ReturnType<typeof createGunzip>);
  yield* unpacked as AsyncIterable<Buffer>;
}
