/** The channel `web`: HTTP and server-sent events on 127.0.0.1, for whoever has the token of `.run/`. */
import { readFileSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import { usableSettings } from "../../journal/config/settings.ts";
import { portsToTry } from "../../journal/programs/ports-to-try.ts";
import { isToken, webToken } from "../../journal/access/token-file.ts";
import { packageFile } from "../../proc/programs/package-file.ts";
import { adapterProgram } from "../../protocol/agents/channel-settings.ts";
import { bearerToken, isPublic, type PublicAddress, refusal } from "../../protocol/guards/http-guard.ts";
import type { AgentSide, ChannelAdapter } from "../adapter/adapter.ts";
import { HttpError, listenOnFirst, newServer, portOf } from "../adapter/http-server.ts";
import type { AdapterDeps } from "../adapter/open-adapter.ts";
import { serveAgents } from "./agents.ts";
import { serveAttachments } from "./attachments.ts";
import { serveEvents } from "./events.ts";
import { serveMessages } from "./messages.ts";
import { openApi } from "./openapi.ts";
import { servePermissions } from "./permissions.ts";
import { parseOwnJson } from "../../protocol/json/parse-json.ts";
import { LazyWorkspace } from "../../web/lazy-workspace.ts";
import { isOwnersSession } from "../../web/owners-session.ts";
import { serveOpenAi } from "../../web/openai/serve-openai.ts";
import { serveApi } from "../../web/serve-api.ts";
import { readPublicSide } from "../../web/page/public-side.ts";
import { PageServer } from "../../web/serve-page.ts";

const usualPort = 6271;
/** Bytes of a request. No text is near it. */
const maxBodyBytes = 2 * 1024 * 1024;

/** The paths for which anybody on this machine may ask. */
const openPaths = ["/v1/health", "/openapi.json"];

export async function openWeb({
  journal,
  settings,
  environment,
  env,
  bus,
  log,
  signal,
}: AdapterDeps): Promise<ChannelAdapter> {
  const token = await webToken(journal);
  const databaseUrl = env["DATABASE_URL"] || undefined;
  const publicSide = readPublicSide(journal, env, settings);
  const { timeZone } = environment;
  const workspace = new LazyWorkspace({ journal, databaseUrl, timeZone, publicSide, bus, log });
  const page = new PageServer({ workspace, publicSide, log });
  const server = newServer(
    maxBodyBytes,
    (error) => log.error({ err: error }, "a request failed"),
    (request, response) => serveApi(workspace, log, request, response) || page.serve(request, response),
  );
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
      let known = 0;
      // Also while it closes.
      const port = () => (known ||= portOf(server));
      const url = () => `http://127.0.0.1:${port()}`;
      guard(server, { token, port, publicSide, workspace });
      serve(server, url, journal, agent);
      servePermissions(server, journal, agent);
      serveAgents(server, journal, bus);
      serveEvents(server, bus, signal);
      serveOpenAi(server, { journal, bus, settings: () => usableSettings(journal).settings, log });
      await listenOnFirst(server, ports);
      void workspace.openIfUsed();
      return { url: url() };
    },
    // It stands in the stream, from which whoever listens takes it, now or later.
    deliver: async () => ({}),
    stop: async () => {
      await server.close();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

type Doors = { token: string; port: () => number; publicSide: PublicAddress | undefined; workspace: LazyWorkspace };

/** Refuses strangers before a byte of the body is read. A token in the address isn't looked at: addresses end in logs. */
function guard(server: FastifyInstance, { token, port, publicSide, workspace }: Doors): void {
  server.addHook("onRequest", async (request, reply) => {
    const refused = refusal(request.headers, port(), publicSide);
    if (refused !== undefined) throw new HttpError(403, refused);
    if (!isPublic(request.headers, publicSide) && openPaths.includes(request.url.split("?")[0] ?? "")) return;
    const sent = bearerToken(request.headers.authorization);
    if (sent !== undefined && isToken(token, sent)) return;
    if (await isOwnersSession(workspace, request.method, request.headers)) return;
    reply.header("WWW-Authenticate", 'Bearer realm="cortex"');
    throw new HttpError(401, "expected the header Authorization: Bearer with web_token of .run/endpoints.json");
  });
}

function serve(server: FastifyInstance, url: () => string, journal: string, agent: AgentSide): void {
  const { version } = parseOwnJson(readFileSync(packageFile("package.json"), "utf8")) as { version: string };
  let document: object | undefined;
  // Described when somebody asks: the workspaces' part is loaded for that alone.
  server.get("/openapi.json", async () => (document ??= await openApi(url(), version)));
  server.get("/v1/health", async () => ({ ok: true, pid: process.pid }));
  serveMessages(server, journal, agent);
  serveAttachments(server, journal);
}
