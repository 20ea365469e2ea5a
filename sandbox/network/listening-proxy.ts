/** The proxy of a sandbox that shares this machine's network: at a port, for whoever has its password. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { Socket } from "node:net";
import type { NetworkRules } from "./checked-address.ts";
import { proxyVariablesOf } from "./forwarder.ts";
import type { KeyMask } from "./key-mask.ts";
import { proxyFor } from "./proxy.ts";

export type ListeningProxy = Disposable & { port: number; variables: Record<string, string> };

export async function listeningProxy(rules: NetworkRules, mask: KeyMask | null): Promise<ListeningProxy> {
  const password = randomBytes(32).toString("hex");
  const server = proxyFor(rules, mask, `Basic ${Buffer.from(`cortex:${password}`).toString("base64")}`);
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    port,
    variables: proxyVariablesOf(`http://cortex:${password}@127.0.0.1:${port}`, ""),
    [Symbol.dispose]: () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
