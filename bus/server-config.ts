/** The configuration of a private nats-server: loopback only, JetStream in the journal's `.state/`, a user for each program. */
import { eventStream } from "./streams.ts";

/** The users of the bus, each with its own name and password. */
export const busUsers = ["client", "cortex", "supervisor"] as const;
export type BusUser = (typeof busUsers)[number];

/** What a client may do: ask, cancel, say something, listen, and look events up. So it can forge no event. */
const clientSays = ["cortex.request", "cortex.cancel.*", "cortex.input.*"];
/** Looking up, message by message: the next of a subject, or its last. A consumer could be told to deliver to any subject. */
const lookUp = `$JS.API.DIRECT.GET.${eventStream}`;
const clientLooksUp = [lookUp, `${lookUp}.>`];
const clientAsks = [...clientSays, ...clientLooksUp];
const clientHears = ["cortex.event.>", "cortex.rejected", "cortex.status", "_INBOX.>"];
const clientPermissions = { publish: { allow: clientAsks }, subscribe: { allow: clientHears } };

/** Most that the streams may take on the disk together. */
const maxFileStore = "2GB";

export type ServerOptions = {
  name: string;
  port: number;
  storeFolder: string;
  pidFile: string;
  passwords: Record<BusUser, string>;
};

/** The text of the configuration file. It holds passwords: mode 0600. */
export function serverConfig({ name, port, storeFolder, pidFile, passwords }: ServerOptions): string {
  const user = (name: BusUser) => ({ user: name, password: passwords[name] });
  // Clients live in an account of their own. The server acknowledges a stored request on whatever subject its sender
  // names: in one account with the streams that could be the server's own interface, and a request would delete them.
  const accounts = {
    CORTEX: {
      jetstream: "enabled",
      users: [user("cortex"), user("supervisor")],
      exports: [...clientAsks.map((service) => ({ service })), ...clientHears.map((stream) => ({ stream }))],
    },
    CLIENT: {
      users: [{ ...user("client"), permissions: clientPermissions }],
      imports: [
        ...clientAsks.map((subject) => ({ service: { account: "CORTEX", subject } })),
        ...clientHears.map((subject) => ({ stream: { account: "CORTEX", subject } })),
      ],
    },
  };
  return [
    `server_name: ${value(name)}`,
    `host: "127.0.0.1"`,
    `port: ${port}`,
    `pid_file: ${value(pidFile)}`,
    `jetstream { store_dir: ${value(storeFolder)}, max_file_store: ${maxFileStore} }`,
    `accounts: ${value(accounts)}`,
    "",
  ].join("\n");
}

/** The server's format takes JSON values as they are. */
const value = (text: unknown) => JSON.stringify(text);
