/** A client that goes on sending a body when it is answered already. */
import { connect } from "node:net";

const piece = Buffer.alloc(1024 * 1024, "x");
const pieces = 20;

/** The status of a POST of 20 MiB. @throws Error when the connection breaks before all of it was sent */
export function statusOfLongPost(url: string, token: string): Promise<number> {
  const { hostname, port, pathname } = new URL(url);
  const head = [
    `POST ${pathname} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    `Authorization: Bearer ${token}`,
    "Content-Type: application/json",
    `Content-Length: ${piece.length * pieces}`,
  ];
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    socket.on("error", reject);
    socket.once("data", (answer) => {
      for (let count = 1; count < pieces; count++) socket.write(piece);
      socket.end((error?: Error) => (error ? reject(error) : resolve(Number(answer.toString().split(" ")[1]))));
    });
    socket.write(`${head.join("\r\n")}\r\n\r\n`);
    socket.write(piece);
  });
}
