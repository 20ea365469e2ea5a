/**
 * The first program of a sandbox that reaches some hosts: it listens inside, where there is no network, and hands each
 * connection over descriptor 5, a stream that was open before the wall was. Then it starts the command and ends with it.
 */
import { hostRule } from "../../protocol/runs/request/network.ts";

/** The port in a network that has nothing else in it, but for what the command opens. */
const proxyPort = 47_128;

/** At once; others wait. */
const maxConnections = 100;

/** The stream on which signals come in, one name each. */
export const signalPath = "/signals";

/** Its threads, which count as processes. */
export const forwarderTasks = 16;

/** Below them only root listens, and inside nobody is. */
const firstOpenPort = 1024;

/** A signal goes to all that there is inside, but to the first process and this one. */
const script = `
const { connect: session } = require("node:http2");
const { createServer, Socket } = require("node:net");
const { spawn } = require("node:child_process");
const [ports, ...command] = process.argv.slice(1);
const out = session("http://wall", { createConnection: () => new Socket({ fd: 5, readable: true, writable: true }) });
out.on("error", () => {});
const open = (path) => out.request({ ":method": "POST", ":path": path }, { endStream: false });
const waiting = [];
let free = ${maxConnections};
const next = () => { while (free > 0 && waiting.length > 0) join(...waiting.shift()); };
const join = (socket, path) => {
  free--;
  const stream = open(path);
  socket.pipe(stream).pipe(socket);
  for (const [one, other] of [[socket, stream], [stream, socket]])
    one.on("error", () => other.destroy()).once("close", () => other.destroy());
  stream.once("close", () => { free++; next(); });
};
const listen = ([host, port, path]) => new Promise((done) => {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => {});
    waiting.push([socket, path]);
    next();
  });
  server.once("error", done).listen(port, host, done);
});
Promise.all(JSON.parse(ports).map(listen)).then(() => {
  const child = spawn(command[0], command.slice(1), { stdio: "inherit" });
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => {});
  open("${signalPath}").on("data", (name) => { try { process.kill(-1, String(name)); } catch {} });
  child.once("error", (error) => { console.error(error.message); process.exit(127); });
  child.once("exit", (code, signal) => process.exit(code ?? 128 + require("node:os").constants.signals[signal]));
});
`;

/** @param allowed entries as settings have them: what listens on this machine gets its port inside, too */
export function forwarderCommand(node: string, allowed: readonly string[], command: readonly string[]): string[] {
  const ports = [["127.0.0.1", proxyPort, "/"], ...allowed.flatMap(ownPort)];
  return [node, "--max-semi-space-size=1", "-e", script, "--", JSON.stringify(ports), ...command];
}

function ownPort(entry: string): [host: string, port: number, path: string][] {
  const { host, port } = hostRule(entry);
  if (port === null || port < firstOpenPort || port === proxyPort) return [];
  const path = `/${encodeURIComponent(entry)}`;
  if (host === "localhost" || host.startsWith("127.")) return [["127.0.0.1", port, path]];
  return host === "::1" ? [["::1", port, path]] : [];
}

/** The variables by which programs find the proxy inside. What listens on this machine is at its own port there. */
export const proxyVariables = () => proxyVariablesOf(`http://127.0.0.1:${proxyPort}`, "localhost,127.0.0.1,::1");

/** The variables by which programs find a proxy. @param direct the hosts that are reached without it */
export function proxyVariablesOf(proxy: string, direct: string): Record<string, string> {
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];
  return {
    ...Object.fromEntries(names.map((name) => [name, proxy])),
    NO_PROXY: direct,
    no_proxy: direct,
    NODE_USE_ENV_PROXY: "1",
  };
}
