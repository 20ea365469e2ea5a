/** A first exchange, over no network: half of what a process's first one takes is that its code is compiled. */
import { duplexPair } from "node:stream";
import { fetchOver } from "./fetch.ts";

const events = "data: {}\n\n";
const answer = [
  "HTTP/1.1 200 OK",
  "content-type: text/event-stream",
  `content-length: ${events.length}`,
  "connection: close",
  "",
  events,
].join("\r\n");

/** Loads what the first request over TLS would have to load. */
export function prepareTls(): void {
  process.getBuiltinModule("node:https");
  process.getBuiltinModule("node:tls").createSecureContext(); // reads the system's roots, once for all
}

/** Runs the platform's client and its parser once, whatever is sent and answered. */
export async function exerciseFetch(): Promise<void> {
  const http = process.getBuiltinModule("node:http");
  const agent = new http.Agent();
  agent.createConnection = () => {
    const [near, far] = duplexPair();
    far.once("data", () => far.end(answer));
    return near;
  };
  const fetch = fetchOver(() => ({ agent, request: http.request }));
  const heard = await fetch("http://localhost/", { method: "POST", body: "{}" });
  for await (const _ of heard.body ?? []) continue;
}
