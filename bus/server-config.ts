/** The configuration of a private nats-server: JetStream in the journal's `.state/`, a user for each program, and a key for each worker that joins. */
import { eventStream } from "./streams.ts";

/** The users of the bus, each with its own name and password. */
export const busUsers = ["client", "cortex", "supervisor", "schedule"] as const;
export type BusUser = (typeof busUsers)[number];

/** Whose the streams are, as the server names it. */
export const busAccount = "CORTEX";

/** What a client may do: ask, cancel, say something, listen, and look events up. So it can forge no event. */
const clientSays = ["cortex.request", "cortex.cancel.*", "cortex.input.*"];
/** Looking up, message by message: the next of a subject, or its last. A consumer could be told to deliver to any subject. */
const lookUp = `$JS.API.DIRECT.GET.${eventStream}`;
const clientLooksUp = [lookUp, `${lookUp}.>`];
const clientAsks = [...clientSays, ...clientLooksUp];
const clientHears = ["cortex.event.>", "cortex.rejected", "cortex.status", "supervisor.event.>", "_INBOX.>"];
const clientPermissions = { publish: { allow: clientAsks }, subscribe: { allow: clientHears } };

/** What a worker may not: it is trusted with everybody's runs, not with an end of everything. */
const workerPermissions = { publish: { deny: ["$JS.API.STREAM.DELETE.>", "$JS.API.STREAM.RESTORE.>"] } };

/** Most that the streams may take on the disk together. */
const maxFileStore = "2GB";

/** For workers on other hosts. */
export type Listening = {
  /** An address of this host, or `0.0.0.0` for all. */
  host: string;
  /** Files. Without them only loopback is listened on. */
  tls?: { certFile: string; keyFile: string } | undefined;
  /** Who may join, each by the public half of its key. */
  workers: { name: string; nkey: string }[];
};

/** A bus that would be open to others without TLS. */
export class OpenBusError extends Error {
  override name = "OpenBusError";
}

export type ServerOptions = {
  name: string;
  port: number;
  storeFolder: string;
  pidFile: string;
  passwords: Record<BusUser, string>;
  listening?: Listening | undefined;
  /** Whether it writes through to the disk before it acknowledges. A server that can't doesn't start with it. */
  isSynchronous?: boolean;
};

/** @throws OpenBusError when it would listen to other hosts without TLS */
export function checkListening({ host, tls }: Listening): void {
  if (tls || isLoopback(host)) return;
  throw new OpenBusError(
    `the bus doesn't listen on ${host} without TLS: prompts, answers and passwords would cross the network in the clear. Give bus.tls its cert, key and ca, or listen on 127.0.0.1`,
  );
}

const loopbackOnly: Listening = { host: "127.0.0.1", workers: [] };

/**
 * The text of the configuration file. It holds passwords: mode 0600.
 * @throws OpenBusError when it would listen to other hosts without TLS
 */
export function serverConfig({ listening = loopbackOnly, ...options }: ServerOptions): string {
  const { name, port, storeFolder, pidFile, passwords, isSynchronous = false } = options;
  const { host, tls, workers } = listening;
  checkListening(listening);
  const user = (name: BusUser) => ({ user: name, password: passwords[name] });
  // Clients live in an account of their own. The server acknowledges a stored request on whatever subject its sender
  // names: in one account with the streams that could be the server's own interface, and a request would delete them.
  const accounts = {
    [busAccount]: {
      jetstream: "enabled",
      users: [
        user("cortex"),
        user("supervisor"),
        user("schedule"),
        ...workers.map(({ nkey }) => ({ nkey, permissions: workerPermissions })),
      ],
      exports: [...clientAsks.map((service) => ({ service })), ...clientHears.map((stream) => ({ stream }))],
    },
    CLIENT: {
      users: [{ ...user("client"), permissions: clientPermissions }],
      imports: [
        ...clientAsks.map((subject) => ({ service: { account: busAccount, subject } })),
        ...clientHears.map((subject) => ({ stream: { account: busAccount, subject } })),
      ],
    },
  };
  return [
    `server_name: ${value(name)}`,
    `host: ${value(host)}`,
    `port: ${port}`,
    `pid_file: ${value(pidFile)}`,
    `jetstream { store_dir: ${value(storeFolder)}, max_file_store: ${maxFileStore}${isSynchronous ? ", sync_interval: always" : ""} }`,
    ...(tls ? [`tls: ${value({ cert_file: tls.certFile, key_file: tls.keyFile, timeout: tlsSeconds })}`] : []),
    `authorization: ${value({ timeout: authSeconds })}`,
    `accounts: ${value(accounts)}`,
    "",
  ].join("\n");
}

/** How long a client may take to say who it is: after the server's own default of 2 s one on a busy host would be refused. */
const authSeconds = 20;

/** How long a handshake may take: the server's own default of 2 s is short for a busy host. */
const tlsSeconds = 5;

const isLoopback = (host: string) => host === "localhost" || host === "::1" || /^127(\.\d+){3}$/.test(host);

/** The server's format takes JSON values as they are. */
const value = (text: unknown) => JSON.stringify(text);
