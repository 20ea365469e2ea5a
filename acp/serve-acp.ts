/** Cortex as an agent of the Agent Client Protocol: personas and long-lived agents answer an editor on one stream. */
import { randomUUID } from "node:crypto";
import { isAbsolute } from "node:path";
import {
  agent,
  type AgentCapabilities,
  type AgentContext,
  type McpServer,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type Stream,
} from "@agentclientprotocol/sdk";
import { SerialQueue } from "../files/locks/serial-queue.ts";
import type { AcpDeps } from "./base/acp-deps.ts";
import { answering, wrongParams } from "./base/request-error.ts";
import { asPersonaSays } from "./choices/models.ts";
import {
  listSessions,
  readSession,
  removeSession,
  type SessionRecord,
} from "../journal/editor-sessions/session-store.ts";
import { sessionPage } from "./records/session-page.ts";
import { LiveSession } from "./sessions/live-session.ts";
import { OwnTurns } from "./sessions/own-turns.ts";
import { PermissionRequests } from "./sessions/permission-requests.ts";
import { SessionContext } from "./sessions/session-context.ts";
import { type EditorAbilities, SessionOut } from "./sessions/session-out.ts";

/** The abilities as they are: runs can't be given MCP servers of an editor's, and audio goes to models that hear. */
const capabilities: AgentCapabilities = {
  loadSession: true,
  promptCapabilities: { image: true, audio: true, embeddedContext: true },
  mcpCapabilities: { http: false, sse: false },
  sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
};

type Place = { cwd: string; mcpServers?: McpServer[] };

class AcpServer {
  readonly #deps: AcpDeps;
  readonly #client: () => AgentContext;
  readonly #sessions = new Map<string, LiveSession>();
  readonly #turns = new OwnTurns();
  readonly #writes = new SerialQueue();
  #abilities: EditorAbilities = { hasNotices: false };

  constructor(deps: AcpDeps, client: () => AgentContext) {
    this.#deps = deps;
    this.#client = client;
  }

  /** The editor has gone away: what it began goes on. */
  [Symbol.dispose](): void {
    for (const session of this.#sessions.values()) session[Symbol.dispose]();
  }

  initialize(hasNotices: boolean) {
    this.#abilities = { hasNotices };
    return {
      protocolVersion: PROTOCOL_VERSION,
      agentCapabilities: capabilities,
      agentInfo: { name: "cortex", title: "Cortex", version: this.#deps.version },
      authMethods: [],
    };
  }

  async newSession({ cwd, mcpServers }: Place) {
    const chosen = { mode: this.#deps.persona, model: asPersonaSays, effort: asPersonaSays };
    const id = randomUUID();
    const record = { id, cwd, title: null, updated: Date.now(), runs: [], ...chosen };
    const session = this.#open(record, { isKept: false, mcpServers });
    const choice = await session.choice();
    this.#sessions.set(id, session);
    return { sessionId: id, ...choice };
  }

  /** @param isShown whether what was said is told */
  async reopen(id: string, { cwd, mcpServers }: Place, isShown: boolean) {
    const record = readSession(this.#deps.journal, id);
    if (!record) throw RequestError.sessionNotFound(id);
    const session = this.#open({ ...record, cwd }, { isKept: true, mcpServers });
    const choice = await session.choice();
    // Only now: where it can't be opened anew, it stays as it is.
    this.#sessions.get(id)?.[Symbol.dispose]();
    this.#sessions.delete(id);
    try {
      await session.reopen(isShown);
    } catch (error) {
      session[Symbol.dispose]();
      throw error;
    }
    this.#sessions.set(id, session);
    return choice;
  }

  #open(
    record: SessionRecord,
    { isKept, mcpServers = [] }: { isKept: boolean; mcpServers: McpServer[] | undefined },
  ): LiveSession {
    if (!isAbsolute(record.cwd)) throw wrongParams(`cwd: expected an absolute path, got "${record.cwd}"`);
    const out = new SessionOut(this.#client(), record.id, this.#abilities);
    const [deps, turns, writes] = [this.#deps, this.#turns, this.#writes];
    const permissions = new PermissionRequests(deps, out);
    const context = new SessionContext({ deps, out, turns, permissions, writes }, record, isKept);
    return new LiveSession(
      context,
      mcpServers.map(({ name }) => name),
    );
  }

  list(cwd: string | null | undefined, cursor: string | null | undefined) {
    const page = sessionPage(listSessions(this.#deps.journal), cwd, cursor);
    if (!page) throw wrongParams("cursor: expected nextCursor of a former answer");
    return page;
  }

  /** @throws RequestError for a session that isn't open here */
  session(id: string): LiveSession {
    const session = this.#sessions.get(id);
    if (!session) throw RequestError.sessionNotFound(id);
    return session;
  }

  async close(id: string) {
    const session = this.session(id);
    this.#sessions.delete(id);
    await session.close();
    return {};
  }

  async delete(id: string) {
    if (this.#sessions.has(id)) await this.close(id);
    await this.#writes.run(() => removeSession(this.#deps.journal, id));
    return {};
  }

  cancel(id: string): void {
    this.#sessions.get(id)?.cancel();
  }
}

/** Serves a stream until it ends. */
export async function serveAcp(deps: AcpDeps, stream: Stream): Promise<void> {
  const app = agent({ name: "cortex" });
  using server = new AcpServer(deps, () => connection.client);
  const { session } = methods.agent;
  app
    .onRequest(methods.agent.initialize, ({ params }) =>
      server.initialize(Boolean(params.clientCapabilities?.session?.notices)),
    )
    .onRequest(session.new, ({ params }) => answering(deps, () => server.newSession(checked(params))))
    .onRequest(session.load, ({ params }) =>
      answering(deps, () => server.reopen(params.sessionId, checked(params), true)),
    )
    .onRequest(session.resume, ({ params }) =>
      answering(deps, () => server.reopen(params.sessionId, checked(params), false)),
    )
    .onRequest(session.list, ({ params }) => answering(deps, async () => server.list(params.cwd, params.cursor)))
    .onRequest(session.close, ({ params }) => answering(deps, () => server.close(params.sessionId)))
    .onRequest(session.delete, ({ params }) => answering(deps, () => server.delete(params.sessionId)))
    .onRequest(session.setMode, ({ params }) =>
      answering(deps, async () => {
        const configOptions = await server.session(params.sessionId).choose("mode", params.modeId);
        const update = { sessionUpdate: "config_option_update" as const, configOptions };
        await connection.client.notify(methods.client.session.update, { sessionId: params.sessionId, update });
        return {};
      }),
    )
    .onRequest(session.setConfigOption, ({ params }) =>
      answering(deps, async () => ({
        configOptions: await server.session(params.sessionId).choose(params.configId, params.value),
      })),
    )
    .onRequest(session.prompt, ({ params, signal }) =>
      answering(deps, async () => {
        const asked = server.session(params.sessionId);
        // A request that is cancelled; at the end of the stream what it began goes on.
        signal.addEventListener("abort", () => connection.signal.aborted || asked.cancel());
        return await asked.prompt(params.prompt);
      }),
    )
    .onNotification(session.cancel, ({ params }) => server.cancel(params.sessionId));
  const connection = app.connect(stream);
  await connection.closed;
}

/** @throws RequestError for what we said that we can't */
function checked<P extends Place & { additionalDirectories?: string[] }>(params: P): P {
  if ((params.additionalDirectories ?? []).length > 0)
    throw wrongParams("additionalDirectories: a run works in one folder, its cwd");
  return params;
}
