/**
 * Answers one request of the protocol. Without sessions each stands for itself: its token is checked anew, and a client
 * doesn't notice that the server was restarted. A session's id only tells clients of one token apart.
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import {
  CallToolRequestSchema,
  CancelledNotificationSchema,
  isInitializeRequest,
  SetLevelRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import { serveCompletions } from "./completions.ts";
import { servePrompts } from "./prompts.ts";
import { serveResources } from "./resources.ts";
import { serveTools } from "./serve-tools.ts";
import { rightsOf, type RequestContext } from "./request-context.ts";

/**
 * The validator, of no use to a server that never asks its client for input; but each one that isn't handed in costs a
 * millisecond.
 */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

/** Answers what stands in the body of an HTTP request. */
export async function answerMessage(
  request: IncomingMessage,
  response: ServerResponse,
  message: unknown,
  requestContext: RequestContext,
): Promise<void> {
  const server = serverFor(requestContext);
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: !wantsNotices(message, requestContext) });
  response.once("close", () => {
    server.close().catch((error: unknown) => requestContext.log.warn({ err: error }, "could not close"));
  });
  if (isInitializeRequest(message)) response.setHeader("Mcp-Session-Id", randomUUID());
  await server.connect(transport);
  await transport.handleRequest(request, response, message);
}

function serverFor(requestContext: RequestContext): Server {
  const { files, personas } = rightsOf(requestContext.grant);
  const capabilities = {
    tools: {},
    logging: {},
    ...(files && { resources: {} }),
    ...(personas && { prompts: {} }),
    ...((files || personas) && { completions: {} }),
  };
  const server = new Server({ name: "cortex", title: "Cortex", version: "1" }, { capabilities, jsonSchemaValidator });
  serveTools(server, requestContext);
  if (files) serveResources(server, requestContext);
  if (personas) servePrompts(server, requestContext);
  if (files || personas) serveCompletions(server, requestContext);
  server.setRequestHandler(SetLevelRequestSchema, ({ params }) => {
    requestContext.logLevels.set(requestContext.client, params.level);
    return {};
  });
  server.setNotificationHandler(CancelledNotificationSchema, ({ params: { requestId } }) => {
    if (requestId !== undefined) requestContext.callsUnderWay.cancel(requestContext.client, requestId);
  });
  return server;
}

/** Only a call can have something to tell before its answer, and only who asked for that is answered with a stream. */
function wantsNotices(message: unknown, requestContext: RequestContext): boolean {
  const call = CallToolRequestSchema.safeParse(message);
  if (!call.success) return false;
  return (
    call.data.params._meta?.progressToken !== undefined ||
    requestContext.logLevels.of(requestContext.client) !== undefined
  );
}
