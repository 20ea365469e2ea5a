/**
 * The endpoint of the protocol, in both eras: each request is answered by a server of its own. Its token is checked anew, and a
 * client doesn't notice that the program was restarted. A session's id, in the older era, only tells clients of one token apart.
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  createMcpHandler,
  isInitializeRequest,
  isJSONRPCRequest,
  isJSONRPCResponse,
  isLegacyRequest,
  isSpecType,
  type JSONRPCRequest,
  LOG_LEVEL_META_KEY,
  type McpHttpHandler,
  type McpServerFactory,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { Logger } from "../../proc/logging/log.ts";
import { serverFor } from "../mcp/mcp-server.ts";
import { clientName, type RequestContext } from "../mcp/request-context.ts";
import { Sessions } from "./sessions.ts";
import { sendWebResponse, webRequestOf } from "./web-messages.ts";

/** Streams at once of clients that wait for word of changes, of which there is none. */
const maxSubscriptions = 100;

export class McpEndpoint implements AsyncDisposable {
  /** The stateless protocol, of 2026-07-28 and later; and the same for calls that may tell something before their answer. */
  readonly #stateless: McpHttpHandler;
  readonly #streaming: McpHttpHandler;
  readonly #contexts = new WeakMap<Request, RequestContext>();
  readonly #sessions = new Sessions();
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
    const factory: McpServerFactory = ({ requestInfo }) => serverFor(this.#contextOf(requestInfo), "modern");
    const onerror = (error: Error) => log.debug({ err: error }, "request refused");
    const options = { legacy: "reject", maxSubscriptions, onerror } as const;
    this.#stateless = createMcpHandler(factory, options);
    // A stream begins at once and is kept alive: a client that waits for long doesn't take it for dead.
    this.#streaming = createMcpHandler(factory, { ...options, responseMode: "sse" });
  }

  /** Answers what stands in the body of an HTTP request. */
  async answer(
    request: IncomingMessage,
    response: ServerResponse,
    message: unknown,
    requestContext: RequestContext,
  ): Promise<void> {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const asked = webRequestOf(request, gone.signal);
    if (await isLegacyRequest(asked, message))
      return await sendWebResponse(await this.#answerSession(asked, message, requestContext), response);
    // Without a session clients of one token can't be told apart: each request is one's own.
    const own = { ...requestContext, client: `${requestContext.client} ${randomUUID()}` };
    this.#contexts.set(asked, own);
    const handler = wantsNotices(message, own) ? this.#streaming : this.#stateless;
    await sendWebResponse(await handler.fetch(asked, { parsedBody: message }), response);
  }

  /** Ends the streams of those that wait for changes. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#stateless.close(), this.#streaming.close()]);
  }

  /** Answers in the older era, whose clients begin with `initialize`. */
  async #answerSession(asked: Request, message: unknown, requestContext: RequestContext): Promise<Response> {
    const { client, grant } = requestContext;
    if (isJSONRPCResponse(message)) {
      this.#sessions.answer(client, message);
      return new Response(null, { status: 202 });
    }
    if (isSpecType.CancelledNotification(message)) await this.#sessions.cancel(client, message.params.requestId);
    const server = serverFor(requestContext, "legacy");
    const mayAsk = isCall(message) && this.#sessions.canBeAsked(client);
    const enableJsonResponse = !mayAsk && !wantsNotices(message, requestContext);
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse });
    const close = () =>
      void server.close().catch((error: unknown) => this.#log.warn({ err: error }, "could not close"));
    asked.signal.addEventListener("abort", close);
    if (mayAsk) await this.#sessions.connect(client, message.id, server, transport);
    else await server.connect(transport);
    if (asked.signal.aborted) close();
    const answer = await transport.handleRequest(asked, { parsedBody: message });
    if (!isInitializeRequest(message)) return answer;
    const session = randomUUID();
    answer.headers.set("Mcp-Session-Id", session);
    // Nobody sits in front of a run.
    if (grant.agent_id === "commands") this.#sessions.begin(clientName(grant, session), message);
    return answer;
  }

  #contextOf(asked: Request | undefined): RequestContext {
    const context = asked && this.#contexts.get(asked);
    if (!context) throw new Error("a request without its context");
    return context;
  }
}

const isCall = (message: unknown): message is JSONRPCRequest =>
  isJSONRPCRequest(message) && isSpecType.CallToolRequest(message);

/** Only a call can have something to tell before its answer, and only who asked for that is answered with a stream. */
function wantsNotices(message: unknown, { client, logLevels }: RequestContext): boolean {
  if (!isSpecType.CallToolRequest(message)) return false;
  const meta: Record<string, unknown> = message.params._meta ?? {};
  return (
    meta["progressToken"] !== undefined || meta[LOG_LEVEL_META_KEY] !== undefined || logLevels.of(client) !== undefined
  );
}
