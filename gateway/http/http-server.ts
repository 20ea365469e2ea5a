/** The gateway's HTTP server: it refuses strangers before a byte of the body is read, and asks for the run's token each time. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listenOnFirst } from "../../proc/os/listen-on-first.ts";
import { readGatewayToken } from "../../journal/access/tokens.ts";
import { refusal } from "../../protocol/guards/http-guard.ts";
import { dialects, isProvider } from "../dialects/dialects.ts";
import { sentToken } from "./headers.ts";
import { refuse, sendJson } from "./refuse.ts";
import { type AskedPath, type CallServer, serveCall } from "./serve-call.ts";

/** Milliseconds that calls under way may take when the server is closed. */
const closeGraceMs = 2000;

const headersTimeout = 10_000;
/** A long conversation over a slow wall takes a while. */
const requestTimeout = 120_000;
/** Longer than any client's: who closes first mustn't be the one who doesn't know that a request is on its way. */
const keepAliveTimeout = 75_000;
const maxHeaderSize = 32 * 1024;
const maxConnections = 2000;

/** Requests of one run at once: a run that has so many waits for nothing else than to fill the memory. */
const maxOfRun = 200;

/** A path that is made of nothing but names: no dots that lead up, nothing encoded. */
const pathPattern = /^\/([a-z]{1,20})((?:\/[\w.:-]{1,250}){0,6})\/?$/;

/**
 * Listens on 127.0.0.1, on the first of the ports that is free. Disposed of, it lets calls end and closes.
 * @throws Error if none of them can be had
 */
export async function openGatewayServer(
  ports: readonly number[],
  calls: CallServer,
): Promise<{ port: number; url: string } & AsyncDisposable> {
  const underWay = new Map<string, number>();
  const server = createServer(
    { headersTimeout, requestTimeout, keepAliveTimeout, maxHeaderSize },
    (request, response) => {
      answer(request, response, port, calls, underWay).catch((error: unknown) => {
        calls.log.error({ err: error }, "request failed");
        if (response.headersSent) response.destroy();
        else sendJson(response, 500, { error: { message: "the gateway failed: its log says why" } });
      });
    },
  );
  server.maxConnections = maxConnections;
  const port = await listenOnFirst(server, ports);
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => void server.close(resolve));
      const forced = setTimeout(() => server.closeAllConnections(), closeGraceMs);
      await closed;
      clearTimeout(forced);
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  port: number,
  calls: CallServer,
  underWay: Map<string, number>,
): Promise<void> {
  response.on("error", () => {});
  request.on("error", () => {});
  const refused = refusal(request.headers, port);
  if (refused !== undefined) return stranger(response, 403, refused);
  const [path, query] = splitUrl(request.url ?? "");
  if (path === "/health" && request.method === "GET") return sendJson(response, 200, { ok: true, pid: process.pid });
  const asked = askedPath(path, query);
  if (!asked)
    return stranger(
      response,
      404,
      `not found: models are at ${Object.keys(dialects)
        .map((one) => `/${one}`)
        .join(", ")}`,
    );
  // Some clients look whether somebody is there, before they have a key.
  if (request.method === "HEAD" && asked.path === "") return void response.writeHead(200).end();
  const dialect = dialects[asked.provider];
  const token = sentToken(request.headers, query);
  const run = token === undefined ? null : await readGatewayToken(calls.journal, token);
  if (!run) {
    const why =
      token === undefined
        ? "no token: send the one that the run was given in the place of a key"
        : "this token isn't valid: its run has ended, or it is a key, which stays with the gateway";
    return refuse(response, dialect, "token", why);
  }
  const busy = underWay.get(run.agent_id) ?? 0;
  if (busy >= maxOfRun) return refuse(response, dialect, "away", `more than ${maxOfRun} requests at once`, 429);
  underWay.set(run.agent_id, busy + 1);
  response.once("close", () => {
    const left = (underWay.get(run.agent_id) ?? 1) - 1;
    if (left > 0) underWay.set(run.agent_id, left);
    else underWay.delete(run.agent_id);
  });
  return serveCall(request, response, asked, run, calls);
}

function splitUrl(url: string): [path: string, query: string] {
  const at = url.indexOf("?");
  return at < 0 ? [url, ""] : [url.slice(0, at), url.slice(at + 1)];
}

function askedPath(path: string, query: string): AskedPath | null {
  const [, provider = "", rest = ""] = pathPattern.exec(path) ?? [];
  if (!isProvider(provider) || rest.split("/").some((part) => part === "." || part === "..")) return null;
  return { provider, path: rest, query };
}

function stranger(response: ServerResponse, status: number, message: string): void {
  sendJson(response, status, { error: { message } }, { Connection: "close" });
}
