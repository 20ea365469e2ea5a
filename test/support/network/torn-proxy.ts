/** A proxy in front of a server on this machine, which breaks a connection off in the middle of what the server says. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export type TornProxy = AsyncDisposable & {
  port: number;
  /** How often it has broken a connection. */
  cuts: number;
  /** Once the server has said so many bytes from now on, the connection breaks in the middle of the next ones. Once. */
  cutAfter: (bytes: number) => void;
  /** Breaks all connections, and each that is tried, until `admit`. */
  bar: () => void;
  admit: () => void;
};

export async function startTornProxy(target: number): Promise<TornProxy> {
  const sockets = new Set<Socket>();
  let left = Infinity;
  let isBarred = false;
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    const behind = connect(target, "127.0.0.1");
    const end = () => {
      client.destroy();
      behind.destroy();
    };
    for (const socket of [client, behind]) {
      sockets.add(socket);
      socket.on("error", end).once("close", () => {
        sockets.delete(socket);
        end();
      });
    }
    client.pipe(behind);
    behind.on("data", (piece: Buffer) => {
      left -= piece.length;
      if (left >= 0) return void client.write(piece);
      left = Infinity;
      proxy.cuts++;
      client.write(piece.subarray(0, piece.length >> 1), end);
      return undefined;
    });
    if (isBarred) end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const proxy: TornProxy = {
    port: (server.address() as AddressInfo).port,
    cuts: 0,
    cutAfter: (bytes) => {
      left = bytes;
    },
    bar: () => {
      isBarred = true;
      breakAll();
    },
    admit: () => {
      isBarred = false;
    },
    async [Symbol.asyncDispose]() {
      breakAll();
      server.close();
      await once(server, "close");
    },
  };
  return proxy;
}
