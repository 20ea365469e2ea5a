/** Finds a port on the loopback interface that nobody listens on. */
import { createServer } from "node:net";

/** The first of the wanted ports that is free, else any. */
export async function freePort(...wanted: number[]): Promise<number> {
  for (const port of wanted) {
    const free = await tryPort(port);
    if (free !== null) return free;
  }
  return (await tryPort(0)) ?? 0;
}

function tryPort(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(null));
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : null));
    });
  });
}
