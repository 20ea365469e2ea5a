/** The way from the web program's server to the API, which is opened by the first who asks. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "../proc/logging/log.ts";
import type { LazyWorkspace } from "./lazy-workspace.ts";

const prefix = /^\/api\/v1(?=[/?]|$)/;

/** Takes a request that is the API's. @returns whether it is */
export function serveApi(
  workspace: LazyWorkspace,
  log: Logger,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  if (!prefix.test(request.url ?? "")) return false;
  workspace.get().then(
    ({ api }) => api.route(request, response),
    (error: unknown) => {
      log.error({ err: error }, "the workspaces can't be opened");
      refuse(response);
    },
  );
  return true;
}

/** As the API refuses what can't be done now; it isn't there to say so itself. */
function refuse(response: ServerResponse): void {
  const error = { code: "unavailable", message: "the workspaces can't be opened now: the program's log says why" };
  response.writeHead(503, { "Content-Type": "application/json; charset=utf-8", "Retry-After": "5" });
  response.end(JSON.stringify({ error }));
}
