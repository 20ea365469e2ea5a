/** A connection to the bus that comes back by itself. */
import { type ConnectionOptions, checkServerIdentity } from "node:tls";
import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection, type TlsOptions } from "@nats-io/transport-node";
import { busUrls, hostOf, isLoopback } from "./bus-url.ts";
import { connectError } from "./connect-error.ts";
import { authenticatorOf, type CredentialFiles } from "./credentials.ts";
import { ConfigDrift } from "./config-drift.ts";

export type BusAddress = CredentialFiles & {
  /** `nats://host:port`, or `tls://…` when it has to be encrypted; those of a cluster with commas between. */
  url: string;
  user?: string | undefined;
  password?: string | undefined;
};

/** Requests to the bus itself answer within milliseconds; one that doesn't is tried again rather than waited for. */
const apiTimeoutMs = 2000;

/** The silence after which the connection counts as lost. The client's own default would take six minutes to notice. */
const pingIntervalMs = 5000;

export class Bus implements AsyncDisposable {
  readonly connection: NatsConnection;
  readonly js: JetStreamClient;
  /** Options that its server didn't take. */
  readonly configDrift = new ConfigDrift();
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

  /** Calls back each time that the connection has come back, until it is disposed of. */
  onReconnect(callback: () => void): Disposable {
    this.#onReconnect.add(callback);
    return { [Symbol.dispose]: () => void this.#onReconnect.delete(callback) };
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

/**
 * Opens the bus.
 * @param name the program, as the server's monitoring shows it; also sets its replies apart from other users' ones
 * @throws BusUnreachableError when nobody answers or we aren't let in, CredentialError when a file can't be used
 */
export async function openBus(address: BusAddress, name: string, timeoutMs = 3000): Promise<Bus> {
  const urls = busUrls(address.url);
  const [first] = urls;
  const user = address.user ?? decodeURIComponent(first?.username ?? "");
  const password = address.password ?? decodeURIComponent(first?.password ?? "");
  const authenticator = authenticatorOf(address, user, password);
  const tls = tlsOf(address, urls);
  const connecting = connect({
    servers: urls.map(({ host }) => host),
    name,
    timeout: timeoutMs,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 100,
    reconnectJitter: 100,
    pingInterval: pingIntervalMs,
    // Once we were let in, a refusal is a rotation that hasn't come to its end yet.
    ignoreAuthErrorAbort: true,
    // Clients share `_INBOX`; a service's replies can be read by it alone.
    inboxPrefix: name === "client" ? "_INBOX" : `_INBOX_${name}`,
    ...(authenticator ? { authenticator } : {}),
    ...(tls ? { tls } : {}),
  });
  return connecting.then(
    (connection) => new Bus(connection),
    (error: unknown) => {
      throw connectError(error, urls.map(({ host }) => host).join(", "), address, tls !== undefined);
    },
  );
}

/** Whether a connection is encrypted or isn't made: whenever there is a reason to. A server that can't is refused then. */
export const isEncrypted = ({ caFile, certFile }: CredentialFiles, urls: URL[]): boolean =>
  caFile !== undefined || certFile !== undefined || urls.some(({ protocol }) => protocol === "tls:");

function tlsOf(address: BusAddress, urls: URL[]): TlsOptions | undefined {
  if (!isEncrypted(address, urls)) return undefined;
  const { caFile, certFile, keyFile } = address;
  const others = urls.map(hostOf).filter((host) => !isLoopback(host));
  const options: TlsOptions & Pick<ConnectionOptions, "checkServerIdentity"> = {
    ...(caFile === undefined ? {} : { caFile }),
    ...(certFile === undefined ? {} : { certFile }),
    ...(keyFile === undefined ? {} : { keyFile }),
    // Node calls it on the options of the connection, which have the socket: who is at the other end is known by that
    // alone, since a list has several, and a cluster tells of more.
    checkServerIdentity(this: { socket?: { remoteAddress?: string } } | undefined, name, certificate) {
      const peer = this?.socket?.remoteAddress ?? name;
      // The certificate names the host to others; over loopback it is enough that our own CA has signed it.
      if (isLoopback(peer) || [...others, peer].some((host) => !checkServerIdentity(host, certificate)))
        return undefined;
      return checkServerIdentity(name, certificate) ?? checkServerIdentity(peer, certificate);
    },
  };
  return options;
}
