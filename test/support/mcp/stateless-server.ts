/** A server at an address that speaks the stateless protocol alone: it refuses every request of the older era. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { sendWebResponse, webRequestOf } from "../../../mcp-tools/http/web-messages.ts";
import { statelessServer } from "./stateless-tools.ts";
import { keptConnections } from "../network/kept-connections.ts";

export type StatelessServer = AsyncDisposable & {
  url: string;
  /** The methods that were asked for, in order. */
  methods: string[];
  /** Offers one more tool, and tells whoever listens. */
  grow(): void;
};

export async function startStatelessServer(): Promise<StatelessServer> {
  const methods: string[] = [];
  let isGrown = false;
  const handler = createMcpHandler(() => statelessServer(() => isGrown), { legacy: "reject" });
  const server = createServer(keptConnections, (request, response) => {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    (async () => {
      const body = (await request.setEncoding("utf8").toArray()).join("");
      const parsedBody: { method?: string } = JSON.parse(body || "{}");
      if (parsedBody.method !== undefined) methods.push(parsedBody.method);
      await sendWebResponse(await handler.fetch(webRequestOf(request, gone.signal), { parsedBody }), response);
    })().catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    methods,
    grow() {
      isGrown = true;
      handler.notify.toolsChanged();
    },
    async [Symbol.asyncDispose]() {
      await handler.close();
      server.close();
      server.closeAllConnections();
    },
  };
}
