/** An HTTP server of a channel: on 127.0.0.1, with errors as JSON and limits on what it reads. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type FastifyInstance, fastify } from "fastify";
import type { z } from "zod";
import { messageOf } from "../../files/errors/error-message.ts";
import { ChannelFullError, MessageTooLargeError, retryAfterSeconds } from "../../bus/agents/inbound-refusals.ts";
import { issueTexts } from "../../protocol/words/issues.ts";
import { isTextDeeper, JsonDepthError, maxJsonDepth } from "../../protocol/json/parse-json.ts";

/** Milliseconds that a client may take to send a request. A slow one holds a connection and nothing else. */
const requestTimeout = 60_000;

/** Milliseconds for which an idle connection is kept: longer than whoever sits between keeps theirs. */
const keepAliveTimeout = 72_000;

/** At once. A stranger's body is read before its signature is known: so many, of a mebibyte each. */
const maxConnections = 256;

/** The error with which a request is refused. */
export class HttpError extends Error {
  readonly statusCode: number;

  constructor(statusCode: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.statusCode = statusCode;
  }
}

/** Takes a request that another router answers. @returns whether it does */
type TakeElsewhere = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * @param maxBodyBytes of a request: a longer one is 413
 * @param onError hears of what is our own fault
 * @param takeElsewhere sees each request first
 */
export function newServer(
  maxBodyBytes: number,
  onError: (error: unknown) => void,
  takeElsewhere: TakeElsewhere = () => false,
): FastifyInstance {
  const server = fastify({
    serverFactory: (handle) =>
      createServer({ requestTimeout, keepAliveTimeout }, (request, response) => {
        if (!takeElsewhere(request, response)) handle(request, response);
      }),
    bodyLimit: maxBodyBytes,
    // Whoever listens to events would keep it open for ever.
    forceCloseConnections: true,
    logger: false,
  });
  server.server.maxConnections = maxConnections;
  const parser = server.getDefaultJsonParser("error", "error");
  server.removeContentTypeParser("application/json");
  server.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    // Clients name the type of each body, and some requests need none.
    if (body === "") return done(null, undefined);
    if (isTextDeeper(String(body), maxJsonDepth))
      return done(new HttpError(400, `the body is ${new JsonDepthError(maxJsonDepth).message}`));
    return parser(request, String(body), done);
  });
  server.setErrorHandler((error, _request, reply) => {
    const status = statusOf(error);
    if (status >= 500) onError(error);
    const text =
      status >= 500 && !(error instanceof HttpError) ? "the server failed: its log says why" : messageOf(error);
    if (status === 429 || status === 503) reply.header("Retry-After", retryAfterSeconds);
    // Whoever is still sending hears it: what is left of the body is read and dropped, where closing would cut them off.
    if (status === 413) reply.removeHeader("Connection");
    return reply.code(status).send({ error: text });
  });
  server.setNotFoundHandler(async (request, reply) => {
    await reply.code(404).send({ error: `not found: ${request.method} ${request.url.split("?")[0]}` });
  });
  return server;
}

/**
 * Has it listen on the loopback interface, on the first of the ports that can be had, as `proc/os/listen-on-first.ts` does with
 * a bare server: Fastify closes the connections only of one that it has told to listen itself.
 * @throws the last error
 */
export async function listenOnFirst(server: FastifyInstance, ports: readonly number[]): Promise<void> {
  let last: unknown;
  for (const port of ports)
    try {
      await server.listen({ host: "127.0.0.1", port });
      return;
    } catch (error) {
      last = error;
    }
  throw last;
}

/** The port on which it listens; 0: it doesn't. */
export function portOf({ server }: FastifyInstance): number {
  const address = server.address();
  return typeof address === "object" && address ? address.port : 0;
}

/** Checks the body of a request. */
export function checkedBody<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new HttpError(400, issueTexts(parsed.error, value).join("; "));
}

/** Stores what came. @throws HttpError 413, 429 and 503; after the last two it may be sent again */
export async function storedOrRefused<T>(storing: Promise<T>): Promise<T> {
  try {
    return await storing;
  } catch (error) {
    if (error instanceof MessageTooLargeError) throw new HttpError(413, error.message);
    if (error instanceof ChannelFullError) throw new HttpError(429, error.message);
    throw new HttpError(503, "the bus doesn't answer: send it again, with the same id", { cause: error });
  }
}

function statusOf(error: unknown): number {
  const status = error instanceof Error && "statusCode" in error ? error.statusCode : undefined;
  return typeof status === "number" && status >= 400 ? status : 500;
}
