/** The channel `web`: HTTP and server-sent events on 127.0.0.1, for whoever has the token of `.run/`. */
import { readFileSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import { portsToTry } from "../../journal/programs/ports-to-try.ts";
import { isToken, webToken } from "../../journal/access/token-file.ts";
import { freePort } from "../../proc/os/free-port.ts";
import { packageFile } from "../../proc/programs/package-file.ts";
import { adapterProgram } from "../../protocol/agents/channel-settings.ts";
import { bearerToken, refusal } from "../../protocol/guards/http-guard.ts";
import type { AgentSide, ChannelAdapter } from "../adapter/adapter.ts";
import { HttpError, newServer } from "../adapter/http-server.ts";
import type { AdapterDeps } from "../adapter/open-adapter.ts";
import { serveAttachments } from "./attachments.ts";
import { serveEvents } from "./events.ts";
import { serveMessages } from "./messages.ts";
import { openApi } from "./openapi.ts";
import { servePermissions } from "./permissions.ts";
import { parseOwnJson } from "../../protocol/json/parse-json.ts";

const usualPort = 6271;
/** Of a request. No text is near it. */
const maxBodyBytes = 2 * 1024 * 1024;

/** What anybody on this machine may ask for. */
const openPaths = ["/v1/health", "/openapi.json"];

export async function openWeb({ journal, environment, bus, log, signal }: AdapterDeps): Promise<ChannelAdapter> {
  const token = await webToken(journal);
  const server = newServer(maxBodyBytes, (error) => log.error({ err: error }, "a request failed"));
  return {
    type: "web",
    start: async (agent) => {
      const ports = await portsToTry(journal, {
        program: adapterProgram("web"),
        asked: environment.webPort,
        ofSettings: ({ channels }) => channels?.["web"]?.port,
        usual: usualPort,
        onProblem: (error) => log.warn({ err: error }, "cortex.json can't be read: using the usual port"),
      });
      const port = await freePort(...ports);
      const url = `http://127.0.0.1:${port}`;
      guard(server, token, port);
      serve(server, url, journal, agent);
      servePermissions(server, journal, agent);
      serveEvents(server, bus, signal);
      await server.listen({ host: "127.0.0.1", port });
      return { url };
    },
    // It stands in the stream, from which whoever listens takes it, now or later.
    deliver: async () => ({}),
    stop: () => server.close(),
  };
}

/** Refuses strangers before a byte of the body is read. A token in the address isn't looked at: addresses end in logs. */
function guard(server: FastifyInstance, token: string, port: number): void {
  server.addHook("onRequest", async (request, reply) => {
    const refused = refusal(request.headers, port);
    if (refused !== undefined) throw new HttpError(403, refused);
    if (openPaths.includes(request.url)) return;
    const sent = bearerToken(request.headers.authorization);
    if (sent !== undefined && isToken(token, sent)) return;
    reply.header("WWW-Authenticate", 'Bearer realm="cortex"');
    throw new HttpError(401, "expected the header Authorization: Bearer with web_token of .run/endpoints.json");
  });
}

function serve(server: FastifyInstance, url: string, journal: string, agent: AgentSide): void {
  const { version } = parseOwnJson(readFileSync(packageFile("package.json"), "utf8")) as { version: string };
  const document = openApi(url, version);
  server.get("/openapi.json", async () => document);
  server.get("/v1/health", async () => ({ ok: true, pid: process.pid }));
  serveMessages(server, journal, agent);
  serveAttachments(server, journal);
}
