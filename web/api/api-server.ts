/**
 * The API of the workspaces: a router that the web program hands its requests below `/api/v1`. It listens on no port itself, so
 * that it can be opened when somebody first asks.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from "fastify";
import { type PublicAddress, refusal as foreignRefusal } from "../../protocol/guards/http-guard.ts";
import { isTextDeeper, JsonDepthError, maxJsonDepth } from "../../protocol/json/parse-json.ts";
import type { WorkspaceStore } from "../../workspace/database/changes/store.ts";
import type { LiveFeed } from "../../workspace/live/live-feed.ts";
import { memberOf } from "../../workspace/people/access.ts";
import { WorkspaceError } from "../../workspace/records/workspace-error.ts";
import { Authenticator } from "./access/authenticate.ts";
import { RateLimit } from "./access/rate-limit.ts";
import { actorAt, type AnswerDeps, answerRequest, heardBy, subjectOf } from "./answers/answer-request.ts";
import { RefusedForNow, type Refusal, refusal, refusalOf } from "./answers/problem.ts";
import { UnavailableError } from "../machine/base/machine-base.ts";
import { type ListenerLimits, Listeners, usualListenerLimits } from "./events/listeners.ts";
import { operations } from "./operations.ts";
import type { Asker } from "./table/asker.ts";
import type { Operation } from "./table/operation.ts";
import { isAt, routerPath } from "./table/operation-path.ts";

export const apiPrefix = "/api/v1";

/** Bytes of a request's body, where the operation says nothing else. */
const usualMaxBodyBytes = 256 * 1024;
/** Requests of a user in a second, on average. */
const usualRequestsPerSecond = 50;

export type ApiDeps = AnswerDeps & {
  store: WorkspaceStore;
  live: Pick<LiveFeed, "listen">;
  /** The tokens of the owner: everybody who has one of them is. */
  ownerTokens: readonly string[];
  /** Where a proxy hands requests on. */
  publicAddress?: PublicAddress | undefined;
  onError: (error: unknown) => void;
  requestsPerSecond?: number;
  limits?: ListenerLimits;
};

export type Api = {
  route: (request: IncomingMessage, response: ServerResponse) => void;
  /** Finds who sent a request with such headers. */
  askerOf: Authenticator["askerOf"];
} & AsyncDisposable;

export async function openApi(deps: ApiDeps): Promise<Api> {
  const { store, live, limits = usualListenerLimits } = deps;
  const server = fastify({
    bodyLimit: usualMaxBodyBytes,
    exposeHeadRoutes: false,
    logger: false,
    frameworkErrors: (error, _request, reply) => void send(reply, refusalOf(error)),
  });
  const listeners = new Listeners({ store, live, limits });
  readJson(server);
  answerProblems(server, deps.onError);
  const authenticator = new Authenticator(store, deps.ownerTokens, deps.publicAddress);
  const rate = new RateLimit(deps.requestsPerSecond ?? usualRequestsPerSecond);
  const askers = new WeakMap<FastifyRequest, Asker>();
  const askerOf = (request: FastifyRequest) => {
    const asker = askers.get(request);
    if (!asker) throw new Error("a request wasn't authenticated");
    return asker;
  };
  // Before a byte of the body is read.
  server.addHook("onRequest", async (request) => {
    const foreign = foreignRefusal(request.headers, request.socket.localPort ?? 0, deps.publicAddress);
    if (foreign !== undefined) throw new WorkspaceError("forbidden", foreign);
    const asker = await authenticator.askerOf(request.method, request.headers);
    if (!asker.isOwner) rate.countRequest(asker.user.id);
    askers.set(request, asker);
  });
  const serveDeps = { ...deps, listeners, authenticator, askerOf };
  for (const operation of operations) if (!operation.takesContent) serve(server, operation, serveDeps);
  await server.register(async (uploads) => {
    readContent(uploads);
    for (const operation of operations) if (operation.takesContent) serve(uploads, operation, serveDeps);
  });
  await server.ready();
  return {
    route: (request, response) => server.routing(request, response),
    askerOf: (method, headers) => authenticator.askerOf(method, headers),
    [Symbol.asyncDispose]: async () => {
      listeners[Symbol.dispose]();
      await server.close();
    },
  };
}

type ServeDeps = Pick<ApiDeps, "store" | "machine" | "files" | "onError"> & {
  listeners: Listeners;
  authenticator: Authenticator;
  askerOf: (request: FastifyRequest) => Asker;
};

function serve(server: FastifyInstance, operation: Operation, deps: ServeDeps): void {
  const { method, path, events, maxBodyBytes } = operation;
  const url = `${apiPrefix}${routerPath(path)}`;
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const { status, headers, body } = await answerRequest(operation, request, deps.askerOf(request), deps);
    if (operation.endsAccess) deps.listeners.check();
    return reply.code(status).headers(headers).send(body);
  };
  const listenToWorkspace = async (request: FastifyRequest, reply: FastifyReply) => {
    const asker = deps.askerOf(request);
    const actor = await actorAt(deps.store, operation, subjectOf(request), asker);
    if (!actor) throw new Error(`${operation.id} is about a workspace`);
    const isAllowed = async () => {
      await deps.authenticator.askerOf(request.method, request.headers);
      return (await memberOf(deps.store, actor.workspaceId, asker.user.id)) !== null;
    };
    const stream = await deps.listeners.admit(request.headers, actor, isAllowed);
    reply.hijack();
    await stream(reply.raw).catch(deps.onError);
  };
  const listenTo = async (request: FastifyRequest, reply: FastifyReply) => {
    const asker = deps.askerOf(request);
    const isAllowed = async () => (await deps.authenticator.askerOf(request.method, request.headers)).isOwner;
    const gone = new AbortController();
    const events = heardBy(operation, request, asker, deps.machine, gone.signal);
    const stream = deps.listeners.admitTo(events, gone, asker.user.id, isAllowed);
    reply.hijack();
    await stream(reply.raw).catch(deps.onError);
  };
  const listen = operation.subject === null ? listenTo : listenToWorkspace;
  server.route({
    method,
    url,
    ...(maxBodyBytes === undefined ? {} : { bodyLimit: maxBodyBytes }),
    handler: events ? listen : answer,
  });
}

/** JSON alone, of bounded depth. A body that isn't there is none. */
function readJson(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser("error", "error");
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    const text = String(body);
    if (text === "") return done(null, undefined);
    if (isTextDeeper(text, maxJsonDepth))
      return done(new WorkspaceError("invalid", `the body is ${new JsonDepthError(maxJsonDepth).message}`));
    return parse(request, text, done);
  });
}

/** A body as it comes, whatever type it says: it is bounded while it is stored. */
function readContent(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("*", (_request, body, done) => done(null, body));
}

function answerProblems(server: FastifyInstance, onError: (error: unknown) => void): void {
  server.setErrorHandler(async (error, _request, reply) => {
    const refused = refusalOf(error);
    if (refused.status >= 500 && !(error instanceof RefusedForNow || error instanceof UnavailableError)) onError(error);
    await send(reply, refused);
  });
  server.setNotFoundHandler(async (request, reply) => {
    const path = (request.url.split("?")[0] ?? "").slice(apiPrefix.length);
    const methods = operations.filter((one) => isAt(one.path, path)).map(({ method }) => method);
    if (methods.length === 0)
      return send(reply, refusal("not_found", `there is no such route: ${request.method} ${path}`));
    reply.header("Allow", methods.join(", "));
    return send(
      reply,
      refusal("method_not_allowed", `${request.method} isn't for ${path}`, `${methods.join(", ")} are`),
    );
  });
}

function send(reply: FastifyReply, { status, problem, retryAfterSeconds }: Refusal): FastifyReply {
  if (retryAfterSeconds !== undefined) reply.header("Retry-After", retryAfterSeconds);
  // Whoever is still sending hears it: what is left of the body is read and dropped, where closing would cut them off.
  if (status === 413) reply.removeHeader("Connection");
  if (status === 401) reply.header("WWW-Authenticate", 'Bearer realm="cortex"');
  return reply.code(status).send(problem);
}
