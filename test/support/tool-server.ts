/** A real MCP server over streamable HTTP, with tools that behave and tools that don't. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { keptConnections } from "./network/kept-connections.ts";

export type ToolServer = AsyncDisposable & {
  url: string;
  /** The `authorization` header of each request. */
  tokens: (string | undefined)[];
  /** The events of `wait`: `started`, then `cancelled`. */
  waits: AsyncIterator<string>;
  /** Whether the beginning of an answer is on its way. */
  isAnswering(): boolean;
  /** Forgets all sessions, as a restart does. */
  forget(): void;
};

type Options = {
  token?: string;
  /** With sessions a server remembers whom it talks to, and answers 404 to those it doesn't. */
  hasSessions?: boolean;
  /** Lists its tools one a page. */
  isPaged?: boolean;
  /** Where it listens; absent: anywhere. */
  port?: number;
  /** Adds tools of a test's own. */
  register?: (server: McpServer) => void;
};

export async function startToolServer(options: Options = {}): Promise<ToolServer> {
  const tokens: (string | undefined)[] = [];
  const waits = new Queue<string>();
  const sessions = new Map<string, StreamableHTTPServerTransport>();

  const responses = new Set<ServerResponse>();
  const server = createServer(keptConnections, (request, response) => {
    if (request.method === "POST") responses.add(response);
    response.once("finish", () => responses.delete(response));
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    tokens.push(request.headers.authorization);
    if (options.token !== undefined && request.headers.authorization !== `Bearer ${options.token}`) {
      response.writeHead(401).end("who are you?");
      return;
    }
    if (new URL(request.url ?? "", "http://x").pathname === "/elsewhere") {
      response.writeHead(307, { location: "/mcp" }).end();
      return;
    }
    const id = request.headers["mcp-session-id"];
    const known = typeof id === "string" ? sessions.get(id) : undefined;
    if (typeof id === "string" && !known) {
      response.writeHead(404).end("no such session");
      return;
    }
    await (known ?? (await connected())).handleRequest(request, response);
  }
  async function connected(): Promise<StreamableHTTPServerTransport> {
    const transport = new StreamableHTTPServerTransport(
      options.hasSessions
        ? { sessionIdGenerator: randomUUID, onsessioninitialized: (id) => void sessions.set(id, transport) }
        : {},
    );
    const mcp = withTools(waits, options);
    await mcp.connect(transport);
    return transport;
  }

  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    tokens,
    waits,
    isAnswering: () => [...responses].some((response) => response.headersSent && response.writableLength === 0),
    forget: () => sessions.clear(),
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, "close");
    },
  };
}

function withTools(waits: Queue<string>, { isPaged, register }: Options): McpServer {
  const server = new McpServer({ name: "test", version: "1" }, { capabilities: { logging: {} } });
  server.registerTool("echo", { description: "Says it again.", inputSchema: { text: z.string() } }, ({ text }) => ({
    content: [{ type: "text", text }],
  }));
  server.registerTool("fail", { description: "Throws." }, () => {
    throw new Error("the disk is on fire");
  });
  server.registerTool("speak_then_wait", { description: "Says something and never returns." }, async (extra) => {
    // The answer's headers and its first bytes are out before the tool waits.
    await extra.sendNotification({ method: "notifications/message", params: { level: "info", data: "soon" } });
    waits.push("started");
    await once(extra.signal, "abort");
    throw new Error("cancelled");
  });
  server.registerTool("wait", { description: "Never returns by itself." }, async ({ signal }) => {
    waits.push("started");
    await once(signal, "abort");
    waits.push("cancelled");
    throw new Error("cancelled");
  });
  server.registerTool("big", { description: "Returns 300 KiB." }, () => ({
    content: [{ type: "text", text: "ü".repeat(150 * 1024) }],
  }));
  server.registerTool("picture", { description: "Returns an image and a link." }, () => ({
    content: [
      { type: "image", mimeType: "image/png", data: "AAAA" },
      { type: "resource_link", name: "notes", uri: "file:///notes.md" },
    ],
  }));
  register?.(server);
  if (isPaged) {
    const names = ["echo", "fail"];
    server.server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
      const page = Number(params?.cursor ?? 0);
      const tools = [{ name: names[page] ?? "", inputSchema: { type: "object" as const } }];
      return page + 1 < names.length ? { tools, nextCursor: String(page + 1) } : { tools };
    });
  }
  return server;
}

/** The items that were pushed, for whoever asks, in order. */
class Queue<T> implements AsyncIterator<T> {
  #items: T[] = [];
  #waiting: ((result: IteratorResult<T>) => void)[] = [];

  push(value: T): void {
    const waiting = this.#waiting.shift();
    if (waiting) waiting({ done: false, value });
    else this.#items.push(value);
  }

  next(): Promise<IteratorResult<T>> {
    const value = this.#items.shift();
    if (value !== undefined) return Promise.resolve({ done: false, value });
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }
}
