/** The stream of `cortex acp`: stdin and stdout, on which nothing else may be written. */
import { Readable, Writable } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import type { AcpDeps } from "./base/acp-deps.ts";
import { serveAcp } from "./serve-acp.ts";

/** Serves the editor that has started this process, until it leaves. */
export async function serveStdio(deps: AcpDeps): Promise<void> {
  const output = Writable.toWeb(process.stdout) as WritableStream<Uint8Array>;
  const input = Readable.toWeb(process.stdin) as unknown as ReadableStream<Uint8Array>;
  await serveAcp(deps, ndJsonStream(output, input));
}
