/** A process that was started ahead of its run: everything is imported, and has run once, by the time that the run comes. */
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { createSecureContext } from "node:tls";
import type { Line } from "../proc/lines.ts";
import { BeginLine, RunConfig } from "../protocol/run-config.ts";
import { builtInBackend } from "./built-in.ts";

/**
 * Imports what a backend needs, then waits for the line that says where the run works, and goes there. What was started
 * for nobody ends with its stdin.
 * @throws Error for any other line
 */
export async function waitForRun(backend: string, lines: AsyncIterator<Line, undefined>): Promise<void> {
  await builtInBackend(backend);
  RunConfig.safeParse({ prompt: "hello", history: [{ role: "user", text: "hello" }] });
  await exerciseFetch().catch(() => {}); // a sandbox may have no loopback
  if (!isPlain(process.env)) createSecureContext(); // reads the system's roots, once for all
  const line = await lines.next();
  if (line.done) return;
  const { work_folder } = BeginLine.parse(JSON.parse(line.value.text));
  process.chdir(work_folder);
  process.env["PWD"] = work_folder;
}

/** Whether the provider is reached without TLS: one on this machine. */
const isPlain = (environment: NodeJS.ProcessEnv) =>
  Object.entries(environment).some(([name, value]) => name.endsWith("_BASE_URL") && value?.startsWith("http:"));

const answer = "data: {}\n\n";
const response = [
  "HTTP/1.1 200 OK",
  "content-type: text/event-stream",
  `content-length: ${answer.length}`,
  "connection: close",
  "",
  answer,
].join("\r\n");

/** The platform compiles its client at the first request, its parser among it: half of what a first call takes. So this is the first. */
async function exerciseFetch(): Promise<void> {
  const server = createServer((socket) => void socket.on("error", () => {}).once("data", () => socket.end(response)));
  await once(server.listen(0, "127.0.0.1"), "listening");
  try {
    const { port } = server.address() as AddressInfo;
    const heard = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: "{}" });
    for await (const _ of heard.body ?? []) continue;
  } finally {
    server.close();
  }
}
