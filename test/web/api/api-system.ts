/** The API on a database of its own, behind a server of its own, for a test. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { type ApiDeps, openApi } from "../../../web/api/api-server.ts";
import type { DatabaseTarget } from "../../../workspace/database/connection/open-database.ts";
import { filesOf } from "../../../web/api/journal-files.ts";
import { openWorkspaceStore, type WorkspaceStore } from "../../../workspace/database/changes/store.ts";
import { LiveFeed } from "../../../workspace/live/live-feed.ts";
import type { Member, User, Workspace } from "../../../workspace/records/people.ts";
import { keptConnections } from "../../support/network/kept-connections.ts";
import { awayMachine } from "./away-machine.ts";
import type { Role } from "../../../workspace/records/people.ts";

export const ownerToken = "the-owner's-token-of-these-tests";

export type Answered = { status: number; headers: Headers; body: unknown };

/** Calls that one token makes. */
export type Caller = {
  token: string | null;
  call: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answered>;
  get: <T>(path: string) => Promise<T>;
  post: <T>(path: string, body?: unknown, headers?: Record<string, string>) => Promise<T>;
};

export class ApiSystem implements AsyncDisposable {
  readonly url: string;
  readonly store: WorkspaceStore;
  readonly live: LiveFeed;
  /** Errors that were our own fault. */
  readonly errors: unknown[];
  readonly #resources: AsyncDisposableStack;

  private constructor(of: Pick<ApiSystem, "url" | "store" | "live" | "errors">, resources: AsyncDisposableStack) {
    this.url = of.url;
    this.store = of.store;
    this.live = of.live;
    this.errors = of.errors;
    this.#resources = resources;
  }

  static async start(target: DatabaseTarget, deps: Partial<ApiDeps> = {}): Promise<ApiSystem> {
    const resources = new AsyncDisposableStack();
    const store = resources.use(await openWorkspaceStore(target));
    const live = new LiveFeed();
    const errors: unknown[] = [];
    const machine = deps.machine ?? resources.use(awayMachine());
    const usual = { store, live, machine, ownerTokens: [ownerToken], files: filesOf(machine.journal) };
    const api = resources.use(await openApi({ ...usual, onError: (error) => errors.push(error), ...deps, machine }));
    const server = createServer(keptConnections, (request, response) => api.route(request, response));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    resources.defer(() => {
      server.close();
      server.closeAllConnections();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return new ApiSystem({ url, store, live, errors }, resources);
  }

  as(token: string | null): Caller {
    const call: Caller["call"] = async (method, path, body, headers = {}) => {
      const response = await fetch(`${this.url}/api/v1${path}`, {
        method,
        headers: {
          ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
    };
    const wanted = async (...request: Parameters<Caller["call"]>) => {
      const { status, body } = await call(...request);
      if (status >= 300) throw new Error(`${request[0]} ${request[1]}: ${status} ${JSON.stringify(body)}`);
      return body;
    };
    return {
      token,
      call,
      get: async <T>(path: string) => (await wanted("GET", path)) as T,
      post: async <T>(path: string, body?: unknown, headers?: Record<string, string>) =>
        (await wanted("POST", path, body, headers)) as T,
    };
  }

  get owner(): Caller {
    return this.as(ownerToken);
  }

  /** The owner's first workspace. */
  async workspace(): Promise<Workspace> {
    const { items } = await this.owner.get<{ items: Workspace[] }>("/workspaces");
    const [first] = items;
    if (!first) throw new Error("there is no first workspace");
    return first;
  }

  async invite(
    workspaceId: string,
    name: string,
    role: Role = "member",
  ): Promise<Caller & { user: User; member: Member; token: string }> {
    const path = `/workspaces/${workspaceId}/members`;
    const invited = await this.owner.post<{ user: User; member: Member; token: string }>(path, { name, role });
    return { ...this.as(invited.token), ...invited };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#resources.disposeAsync();
  }
}
