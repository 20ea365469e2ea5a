/** Has a server listen on the loopback interface, on the first of its ports that can be had. */
import type { Server } from "node:net";

/**
 * @param ports 0: any that is free
 * @returns the port
 * @throws AggregateError with why each of them can't be had
 */
export async function listenOnFirst(server: Server, ports: readonly number[]): Promise<number> {
  const failures: unknown[] = [];
  for (const port of ports) {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      if (typeof address === "object" && address) resolve(address.port);
    });
    try {
      return await promise;
    } catch (error) {
      failures.push(error);
      server.removeAllListeners("listening");
    } finally {
      server.off("error", reject);
    }
  }
  throw new AggregateError(failures, `cannot listen on 127.0.0.1, ports ${ports.join(", ")} (0: any)`);
}
