/** A connection to the bus that comes back by itself. */
import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from "@nats-io/jetstream";
import {
  type Authenticator,
  connect,
  type NatsConnection,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
} from "@nats-io/transport-node";

export type BusAddress = { url: string; user?: string | undefined; password?: string | undefined };

/** Requests to the bus itself answer within milliseconds; one that doesn't is tried again rather than waited for. */
const apiTimeoutMs = 2000;

/** Who is silent this long is gone. The client's own default would take six minutes to notice. */
const pingIntervalMs = 5000;

export class Bus implements AsyncDisposable {
  readonly connection: NatsConnection;
  readonly js: JetStreamClient;
  #manager: JetStreamManager | undefined;
  readonly #onReconnect = new Set<() => void>();
  readonly #onDisconnect = new Set<() => void>();
  #isConnected = true;

  constructor(connection: NatsConnection) {
    this.connection = connection;
    this.js = jetstream(connection, { timeout: apiTimeoutMs });
    void this.#followStatus();
  }

  /** Administers streams and consumers. */
  async manager(): Promise<JetStreamManager> {
    this.#manager ??= await jetstreamManager(this.connection, { timeout: apiTimeoutMs, checkAPI: false });
    return this.#manager;
  }

  /** While this is false, what is published is lost without a word. */
  get isConnected(): boolean {
    return this.#isConnected && !this.connection.isClosed();
  }

  /** Calls back each time that the connection has come back. */
  onReconnect(callback: () => void): void {
    this.#onReconnect.add(callback);
  }

  /** Calls back each time that the connection is lost. */
  onDisconnect(callback: () => void): void {
    this.#onDisconnect.add(callback);
  }

  async #followStatus(): Promise<void> {
    for await (const status of this.connection.status()) {
      if (status.type === "disconnect") {
        this.#isConnected = false;
        for (const callback of this.#onDisconnect) callback();
      }
      if (status.type === "reconnect") {
        this.#isConnected = true;
        for (const callback of this.#onReconnect) callback();
      }
    }
    this.#isConnected = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.connection.isClosed()) await this.connection.close();
  }
}

/** A name without a password, as in `nats://token@host`, or a password without a name, is a token. */
function authenticatorOf(user: string, password: string): Authenticator {
  return user && password ? usernamePasswordAuthenticator(user, password) : tokenAuthenticator(user || password);
}

/**
 * Opens the bus.
 * @param name the program, as the server's monitoring shows it; also sets its replies apart from other users' ones
 * @throws Error when nobody answers or the password is refused
 */
export async function openBus(address: BusAddress, name: string, timeoutMs = 3000): Promise<Bus> {
  const url = new URL(address.url.includes("://") ? address.url : `nats://${address.url}`);
  const user = address.user ?? decodeURIComponent(url.username);
  const password = address.password ?? decodeURIComponent(url.password);
  const connection = await connect({
    servers: url.host,
    name,
    timeout: timeoutMs,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 100,
    reconnectJitter: 100,
    pingInterval: pingIntervalMs,
    // Clients share `_INBOX`; a service's replies can be read by it alone.
    inboxPrefix: name === "client" ? "_INBOX" : `_INBOX_${name}`,
    ...(user || password ? { authenticator: authenticatorOf(user, password) } : {}),
  });
  return new Bus(connection);
}
