/**
 * Loaded into the tool server (`NODE_OPTIONS=--import …`): notes how long each request took there, from its head to the end
 * of its answer, in ms, a line each in the file that `SERVER_TIMES` names.
 */
import { subscribe } from "node:diagnostics_channel";
import { appendFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";

const file = process.env["SERVER_TIMES"];
const isToolServer = process.argv.includes("mcp-tools/main");

if (file !== undefined && isToolServer) {
  const started = new WeakMap<IncomingMessage, number>();
  const requestOf = (message: unknown) => (message as { request: IncomingMessage }).request;
  subscribe("http.server.request.start", (message) => void started.set(requestOf(message), performance.now()));
  subscribe("http.server.response.finish", (message) => {
    const ms = performance.now() - (started.get(requestOf(message)) ?? Number.NaN);
    appendFileSync(file, `${ms}\n`);
  });
}
