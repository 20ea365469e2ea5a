/** An HTTP server of a test's own. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { keptConnections } from "./kept-connections.ts";

export type HttpServer = AsyncDisposable & { url: string; server: Server; connections(): number };

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

export async function startHttpServer(answer: Answer): Promise<HttpServer> {
  let count = 0;
  const server = createServer(keptConnections, (request, response) => {
    const answered = async () => answer(request, response);
    answered().catch((error: unknown) => response.destroy(error as Error));
  }).on("connection", () => void count++);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    server,
    connections: () => count,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, "close");
    },
  };
}
