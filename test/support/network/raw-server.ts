/** A server that answers with bytes as they are given to it, right or wrong, and keeps what it was sent. */
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

export type RawServer = AsyncDisposable & {
  url: string;
  /** Every connection that was made, in order. */
  sockets: Socket[];
  /** The heads of all requests, as they came. */
  requests: string[];
};

/** `answer` is called for each request whose head has come. Bodies aren't told from what follows: they should be short. */
export async function startRawServer(answer: (socket: Socket, count: number) => void): Promise<RawServer> {
  const sockets: Socket[] = [];
  const requests: string[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    let text = "";
    socket.setEncoding("latin1").on("data", (piece: string) => {
      text += piece;
      const end = text.indexOf("\r\n\r\n");
      if (end < 0) return;
      requests.push(text.slice(0, end));
      text = "";
      answer(socket, requests.length);
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    sockets,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}
