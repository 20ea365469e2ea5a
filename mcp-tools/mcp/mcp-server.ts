/** The server of one request: its tools, resources, prompts and completions, as far as its token shows them. In either era. */
import { type ProtocolEra, Server } from "@modelcontextprotocol/server";
import { serveCompletions } from "./completions.ts";
import { servePrompts } from "./prompts.ts";
import { serveResources } from "./resources.ts";
import { serveTasks } from "./tasks.ts";
import { tasksExtension } from "./caller.ts";
import { serveTools } from "./serve-tools.ts";
import { rightsOf, type RequestContext } from "./request-context.ts";

/** Milliseconds for which an answer may be used again. What a token shows stays the same; what the journal has doesn't. */
const fixed = { ttlMs: 3_600_000, cacheScope: "private" } as const;
const brief = { ttlMs: 5_000, cacheScope: "private" } as const;
const cacheHints = {
  "server/discover": fixed,
  "resources/templates/list": fixed,
  "tools/list": brief,
  "prompts/list": brief,
};

/** Makes the server that answers a request. */
export function serverFor(requestContext: RequestContext, era: ProtocolEra): Server {
  const { grant } = requestContext;
  const { files, personas } = rightsOf(grant);
  const hasTasks = era === "modern" && personas && grant.tools.includes("cortex_run");
  const capabilities = {
    tools: {},
    logging: {},
    ...(files && { resources: {} }),
    ...(personas && { prompts: {} }),
    ...((files || personas) && { completions: {} }),
    ...(hasTasks && { extensions: { [tasksExtension]: {} } }),
  };
  const options = { capabilities, cacheHints, requestState: requestContext.keptStates };
  const server = new Server({ name: "cortex", title: "Cortex", version: "1" }, options);
  serveTools(server, requestContext);
  if (files) serveResources(server, requestContext);
  if (personas) servePrompts(server, requestContext);
  if (files || personas) serveCompletions(server, requestContext);
  if (hasTasks) serveTasks(server, requestContext);
  if (era === "legacy") serveSession(server, requestContext);
  return server;
}

/** Serves what belongs to a session: in the stateless protocol a request has its level itself, and ends with its connection. */
function serveSession(server: Server, { client, logLevels, callsUnderWay }: RequestContext): void {
  server.setRequestHandler("logging/setLevel", ({ params }) => {
    logLevels.set(client, params.level);
    return {};
  });
  server.setNotificationHandler("notifications/cancelled", ({ params: { requestId } }) => {
    if (requestId !== undefined) callsUnderWay.cancel(client, requestId);
  });
}
