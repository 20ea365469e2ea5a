/** A port of this machine on which somebody listens. */
import { createServer } from "node:net";

export async function openPort(): Promise<{ number: number; close: () => void }> {
  const server = createServer((socket) => socket.end());
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no port");
  return { number: address.port, close: () => void server.close() };
}
