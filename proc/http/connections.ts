/**
 * Which connection a request goes over. The platform's modules are asked for by name and not imported: an import reads all
 * that they export, `WebSocket` among it, and that loads the platform's whole `fetch`: 15 MiB and some 50 ms in each process.
 */
import type { Agent, AgentOptions, ClientRequest, RequestOptions } from "node:http";

export type Connections = {
  agent: Agent;
  request(url: URL, options: RequestOptions): ClientRequest;
};

/** Kept open for so long when nothing is asked, as the platform's `fetch` does; a server that says less is heeded. */
const idleMs = 4_000;

const known = new Map<string, Connections>();

/** The connections of this process: kept for the next request, over a proxy where Node is told to use one. */
export function ownConnections({ protocol }: URL): Connections {
  const connections = known.get(protocol) ?? opened(protocol);
  known.set(protocol, connections);
  return connections;
}

function opened(protocol: string): Connections {
  const http = process.getBuiltinModule("node:http");
  // Whether there is a proxy is Node's to decide: its own agent knows.
  const { proxyEnv } = (http.globalAgent as Agent & { options: AgentOptions }).options;
  // First in, first out: only then a connection that has just closed is passed over.
  const options: AgentOptions = { keepAlive: true, timeout: idleMs, scheduling: "fifo", ...(proxyEnv && { proxyEnv }) };
  if (protocol === "http:") return { agent: new http.Agent(options), request: http.request };
  // Loaded by the first request that needs it, and the system's cryptography with it.
  const https = process.getBuiltinModule("node:https");
  return { agent: new https.Agent(options), request: https.request };
}

/**
 * Lets go of the connections that their servers have closed while this process was busy, or asleep. To be awaited before a
 * request chooses one: a request can't be sent again when nobody knows whether it was handled.
 */
export async function dropClosed({ agent }: Connections): Promise<void> {
  const idle = Object.values(agent.freeSockets).flatMap((sockets) => sockets ?? []);
  if (idle.length === 0) return;
  // Between two of these what has arrived is read; the first may come before that.
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
  for (const socket of idle) if (!socket.writable || socket.readableEnded) socket.destroy();
}
