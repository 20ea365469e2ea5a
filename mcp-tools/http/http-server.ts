/** The HTTP server around the tools: it refuses strangers before a byte of the body is read, and asks for the token each time. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listenOnFirst } from "../../proc/os/listen-on-first.ts";
import { keptStateKey } from "../../journal/access/token-file.ts";
import { readToken } from "../../journal/access/tokens.ts";
import type { Logger } from "../../proc/logging/log.ts";
import { bearerToken, refusal } from "../../protocol/guards/http-guard.ts";
import { answerPermit } from "./answer-permit.ts";
import { readBody } from "./read-body.ts";
import { CallsUnderWay } from "../tool/calls-under-way.ts";
import { LogLevels } from "../tool/log-levels.ts";
import { McpEndpoint } from "./endpoint.ts";
import type { Toolbox } from "../catalog/toolbox.ts";
import { Approvals } from "../permissions/approvals.ts";
import { LoopDetector } from "../permissions/loop-detector.ts";
import { PermissionSettings } from "../permissions/permission-settings.ts";
import { keptStates } from "../tool/kept-state.ts";
import { clientName, narrowedGrant, type ServerContext, type RequestContext } from "../mcp/request-context.ts";
import { JsonDepthError, parseJson } from "../../protocol/json/parse-json.ts";

/** Bytes of a request. No argument of a tool is near it. */
const maxBodyBytes = 4 * 1024 * 1024;

/** Milliseconds that a call that is under way may take when the server is closed. */
const closeGraceMs = 2_000;

/**
 * Milliseconds that a client may take to send a request. Ours take none: a slow one holds a connection and nothing
 * else.
 */
const headersTimeout = 10_000;
const requestTimeout = 60_000;
/** Longer than any client's: who closes first mustn't be the one who doesn't know that a request is on its way. */
const keepAliveTimeout = 75_000;

const maxHeaderSize = 16 * 1024;

/** At once. Each run has a few; what more there are is refused by the system's own word. */
const maxConnections = 1_000;

/** Bytes of all bodies that are being read or answered. Only who has a token comes so far. */
const maxBodiesBytes = 128 * 1024 * 1024;

/** As we make them; no other id is worth remembering. */
const sessionPattern = /^[\w-]{1,64}$/;

/**
 * Listens on 127.0.0.1, on the first of the ports that is free. Disposed of, it lets calls end and closes.
 * @throws Error if none of them can be had
 */
export async function openHttpServer(
  ports: number[],
  context: ServerContext,
  toolbox: Toolbox,
  log: Logger,
): Promise<{ port: number; url: string } & AsyncDisposable> {
  const endpoint = new McpEndpoint(log);
  const shared = {
    endpoint,
    context,
    toolbox,
    permissionSettings: new PermissionSettings(context.journal),
    approvals: new Approvals(context.journal, context.agents, log),
    loops: new LoopDetector(),
    keptStates: keptStates(await keptStateKey(context.journal)),
    log,
    logLevels: new LogLevels(),
    callsUnderWay: new CallsUnderWay(),
    bodies: { bytes: 0 },
  };
  const server = createServer(
    { headersTimeout, requestTimeout, keepAliveTimeout, maxHeaderSize },
    (request, response) => {
      answer(request, response, port, shared).catch((error: unknown) => {
        log.error({ err: error }, "request failed");
        if (response.headersSent) response.destroy();
        else refuse(response, 500, "the server failed: its log says why");
      });
    },
  );
  server.maxConnections = maxConnections;
  const port = await listenOnFirst(server, ports);
  return {
    port,
    url: `http://127.0.0.1:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => void server.close(resolve));
      const forced = setTimeout(() => server.closeAllConnections(), closeGraceMs);
      await closed;
      clearTimeout(forced);
      // Last: it cuts off the calls that are given their time here.
      await endpoint[Symbol.asyncDispose]();
    },
  };
}

type Shared = Omit<RequestContext, "grant" | "client" | "isValid"> & {
  endpoint: McpEndpoint;
  bodies: { bytes: number };
};

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  port: number,
  { endpoint, ...shared }: Shared,
): Promise<void> {
  const refused = refusal(request.headers, port);
  if (refused !== undefined) return refuse(response, 403, refused);
  const [path, query] = (request.url ?? "").split("?");
  if (path === "/health" && request.method === "GET") return send(response, 200, { ok: true, pid: process.pid });
  if (path !== "/mcp" && path !== "/permit") return refuse(response, 404, "not found: the tools are at /mcp");
  const token = bearerToken(request.headers.authorization);
  const grant = token === undefined ? null : await readToken(shared.context.journal, token);
  if (!grant) {
    const why =
      token === undefined ? "no token: send Authorization: Bearer …" : "this token isn't valid: its run has ended";
    return refuse(response, 401, why, { "WWW-Authenticate": 'Bearer realm="cortex"' });
  }
  // There are no sessions: nothing to listen to, and nothing to end.
  if (request.method !== "POST") return refuse(response, 405, "only POST is answered here", { Allow: "POST" });
  const { bodies } = shared;
  if (bodies.bytes > maxBodiesBytes) return refuse(response, 503, "too much is asked at once: ask again");
  // What a client says of its length is believed up to what is read of it; without a word it counts as the longest.
  const bytes = Math.min(maxBodyBytes, Number(request.headers["content-length"] ?? maxBodyBytes) || maxBodyBytes);
  bodies.bytes += bytes;
  response.once("close", () => void (bodies.bytes -= bytes));
  const body = await readBody(request, maxBodyBytes);
  if (body === undefined) return refuse(response, 413, `the body is too long: at most ${maxBodyBytes} bytes`);
  const message = parse(body);
  if (message instanceof SyntaxError) return refuse(response, 400, `the body is ${whyNot(message)}`);
  const asked = new URLSearchParams(query).get("tools");
  const { toolbox } = shared;
  const client = clientName(grant, sessionOf(request));
  const requestContext = {
    ...shared,
    isValid: async () => token !== undefined && (await readToken(shared.context.journal, token)) !== null,
    grant: narrowedGrant(toolbox.whole(grant), asked, toolbox.packs),
    client,
  };
  if (path === "/mcp") return endpoint.answer(request, response, message, requestContext);
  const permit = await answerPermit(message, response, requestContext);
  if (permit) send(response, 200, permit);
  else refuse(response, 400, "the body isn't a call: expected tool, kind, args, call_id");
}

function sessionOf(request: IncomingMessage): string {
  const id = request.headers["mcp-session-id"];
  return typeof id === "string" && sessionPattern.test(id) ? id : "";
}

function parse(body: string): unknown {
  try {
    return parseJson(body);
  } catch (error) {
    return error;
  }
}

const whyNot = (error: SyntaxError) => (error instanceof JsonDepthError ? error.message : "not JSON");

function refuse(response: ServerResponse, status: number, error: string, headers: Record<string, string> = {}): void {
  // Nobody reads the rest of a refused body: the connection goes with it.
  send(response, status, { error }, { Connection: "close", ...headers });
}

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "Content-Type": "application/json", ...headers });
  response.end(`${JSON.stringify(body)}\n`);
}
