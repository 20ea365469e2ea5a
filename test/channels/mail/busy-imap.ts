/** An IMAP server that is busy: it refuses each login for now, with RFC 5530's code, as one does that limits its connections. */
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

export type BusyImap = AsyncDisposable & {
  port: number;
  /** Logins that were refused. */
  refused: number;
};

export async function startBusyImap(port = 0): Promise<BusyImap> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).once("close", () => sockets.delete(socket));
    socket.write("* OK [CAPABILITY IMAP4rev1 SASL-IR AUTH=PLAIN] ready\r\n");
    socket.setEncoding("utf8").on("data", (text: string) => {
      for (const line of text.split("\r\n")) {
        const [tag = "", command = ""] = line.split(" ");
        if (/^(?:AUTHENTICATE|LOGIN)$/i.test(command)) {
          busy.refused++;
          socket.write(`${tag} NO [LIMIT] Too many connections, try again later\r\n`);
        } else if (/^LOGOUT$/i.test(command)) socket.end(`* BYE\r\n${tag} OK\r\n`);
        else if (command !== "") socket.write(`${tag} OK\r\n`);
      }
    });
  });
  await once(server.listen(port, "127.0.0.1"), "listening");
  const busy: BusyImap = {
    port: (server.address() as AddressInfo).port,
    refused: 0,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
  return busy;
}
