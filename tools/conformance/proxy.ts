/** Stands between the suite, which knows no tokens, and our server: adds the token, and changes the names of stand-ins. */
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { isRecord } from "../../protocol/json/json-object.ts";
import { answered, translated } from "./stand-ins.ts";

/** Listens on a free port of this machine. */
export async function openProxy(target: URL, token: string): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer((incoming, response) => {
    forward(incoming, response, target, token).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

async function forward(incoming: IncomingMessage, response: ServerResponse, target: URL, token: string): Promise<void> {
  const asked: unknown = JSON.parse((await textOf(incoming)) || "null");
  const given = translated(asked);
  const body = JSON.stringify(given);
  const own = `127.0.0.1:${incoming.socket.localPort}`;
  // Our own name becomes the server's. A foreign one stays: whether that is let in is what the suite asks.
  const { host = "", origin, "content-length": _, ...headers } = incoming.headers;
  // A header that repeats a name goes with it; one that says something else stays as wrong as it is.
  const name = nameIn(given);
  if (name !== undefined && headers["mcp-name"] === nameIn(asked)) headers["mcp-name"] = name;
  const sent = {
    ...headers,
    host: host === own ? target.host : host,
    ...(origin !== undefined && { origin: origin === `http://${own}` ? target.origin : origin }),
    authorization: `Bearer ${token}`,
  };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = { method: incoming.method, headers: sent, agent: false };
    const outgoing = request(target, options, resolve).once("error", reject);
    outgoing.end(incoming.method === "POST" ? body : undefined);
  });
  const { "content-length": __, connection: ___, "transfer-encoding": ____, ...rest } = answer.headers;
  response.writeHead(answer.statusCode ?? 502, rest);
  if (answer.headers["content-type"]?.startsWith("text/event-stream")) answer.pipe(response);
  else response.end(answered(await textOf(answer)));
}

function nameIn(message: unknown): string | undefined {
  const params = isRecord(message) && isRecord(message["params"]) ? message["params"] : {};
  const name = params["name"] ?? params["uri"];
  return typeof name === "string" ? name : undefined;
}

async function textOf(stream: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stream) if (Buffer.isBuffer(part)) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}
