/** One connection to an external server, until it is over: the next one is made by `external-server.ts`. */
import type { Client, Transport, VersionNegotiationMode } from "@modelcontextprotocol/client";
import { eraModes, maySpeakOther, negotiationOf } from "./eras.ts";
import { setTimeout as delay } from "node:timers/promises";
import { HealthCheck } from "./health-check.ts";
import { type ListedTools, listTools } from "./list-tools.ts";
import { isTimeout, reasonOf } from "./server-errors.ts";
import type { ServerTimes } from "./server-times.ts";

/** A way to a server. `why` and `said` tell more of its end, `kill` ends one that doesn't answer: both where it is a program. */
export type ServerTransport = Transport & { why?: string; said?: string; kill?: () => void };

/** The era in which a server was last spoken to: tried first the next time. */
export type LastEra = { mode?: VersionNegotiationMode };

export type ConnectionDeps = {
  name: string;
  open: () => Promise<ServerTransport>;
  isProgram: boolean;
  lastEra: LastEra;
  times: ServerTimes;
  signal: AbortSignal;
  /** Called with the server's tools, once before the connection is made and whenever they have changed. */
  onTools: (listed: ListedTools) => void;
  /** Called when a connection that was in use is of no use any more. */
  onLost: () => void;
  onError: (error: Error) => void;
};

/** A server may say as often as it likes that its tools have changed, in ms. */
const listAgainAfter = 500;

export class Connection implements AsyncDisposable {
  readonly client: Client;
  /** Resolves with the reason when the connection is closed. */
  readonly closed: Promise<string>;
  readonly #transport: ServerTransport;
  readonly #deps: ConnectionDeps;
  #health: HealthCheck | null = null;
  #willList = false;

  private constructor(client: Client, transport: ServerTransport, deps: ConnectionDeps) {
    this.client = client;
    this.#transport = transport;
    this.#deps = deps;
    this.closed = new Promise((resolve) => {
      client.onclose = () => resolve(transport.why || "the connection was closed");
    });
    client.onerror = (error) => {
      deps.onError(error);
      // The SDK tries for long to take up a stream again whose server is gone. It says so in words alone, without a code or a
      // class: should they change, the next ping of the health check finds out.
      if (error.message.startsWith("SSE stream disconnected")) void this.#health?.ping();
    };
  }

  /**
   * Connects, in the era that the server speaks, and lists the tools.
   * @throws Error that says why the server never answered
   */
  static async open(deps: ConnectionDeps): Promise<Connection> {
    const { isProgram, lastEra } = deps;
    const [first = "legacy", ...others] = new Set([lastEra.mode ?? [], ...eraModes(isProgram)].flat());
    try {
      return await Connection.#openAs(first, deps);
    } catch (error) {
      const [second] = others;
      const { cause } = error as Error;
      if (second === undefined || deps.signal.aborted || !maySpeakOther(cause, first)) throw error;
      return await Connection.#openAs(second, deps);
    }
  }

  static async #openAs(mode: VersionNegotiationMode, deps: ConnectionDeps): Promise<Connection> {
    const { Client } = await import("@modelcontextprotocol/client");
    const versionNegotiation = negotiationOf(mode, deps.times.connect);
    const client = new Client({ name: "cortex", version: "1" }, { versionNegotiation });
    const connection = new Connection(client, await deps.open(), deps);
    try {
      await connection.#connect();
      deps.lastEra.mode = mode;
      return connection;
    } catch (error) {
      await connection[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Watches over it from now on: it is in use. */
  watch(): void {
    this.#health = new HealthCheck(this.client, this.#deps.times, (why, isHanging) => {
      if (!this.#health) return;
      if (isHanging) {
        this.#transport.why = why;
        this.#transport.kill?.();
      }
      this.end(why);
    });
  }

  /** Ends one that is of no use any more. */
  end(why: string): void {
    if (!this.#health) return;
    this.#unwatch();
    this.#transport.why ||= why;
    this.#deps.onLost();
    this.client.close().catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#unwatch();
    await this.client.close().catch(() => {});
    await this.#transport.close();
  }

  #unwatch(): void {
    this.#health?.[Symbol.dispose]();
    this.#health = null;
  }

  async #connect(): Promise<void> {
    const { times, signal } = this.#deps;
    await this.client.connect(this.#transport, { timeout: times.connect, signal }).catch(async (error: unknown) => {
      throw new Error(await this.#whyNever(error), { cause: error });
    });
    this.client.setNotificationHandler("notifications/tools/list_changed", () => this.#listAgain());
    await this.#list();
    if (this.client.getProtocolEra() === "modern" && this.client.getServerCapabilities()?.tools?.listChanged)
      void this.#listen();
  }

  async #list(): Promise<void> {
    const { name, isProgram, times, onTools } = this.#deps;
    onTools(await listTools(this.client, name, times.connect, isProgram));
  }

  /** Hears of changes: without a session a server tells of them only whoever listens. What changed before that is listed. */
  async #listen(): Promise<void> {
    for (let isAgain = false; this.client.transport !== undefined; isAgain = true) {
      if (isAgain) await delay(this.#deps.times.pingEvery, undefined, { ref: false });
      try {
        const { closed } = await this.client.listen({ toolsListChanged: true });
        this.#listAgain();
        await closed;
      } catch (error) {
        // Whether it still answers at all, the health check finds out.
        this.#deps.onError(error as Error);
      }
    }
  }

  #listAgain(): void {
    if (this.#willList) return;
    this.#willList = true;
    setTimeout(() => {
      this.#willList = false;
      if (this.client.transport === undefined) return;
      this.#list().catch((error: unknown) => this.end(`its tools can't be listed: ${reasonOf(error)}`));
    }, listAgainAfter).unref();
  }

  /** Why it never answered. A program that ends early says why on stderr, and all of that is known when it is gone. */
  async #whyNever(error: unknown): Promise<string> {
    const transport = this.#transport;
    await transport.close();
    if (!isTimeout(error)) return transport.why || reasonOf(error);
    const { connect } = this.#deps.times;
    return `it didn't answer within ${connect / 1000} s${transport.said ? `: ${transport.said}` : ""}`;
  }
}
