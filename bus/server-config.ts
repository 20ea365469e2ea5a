/** The configuration of a private nats-server: loopback only, JetStream in the journal's `.state/`, a user for each program. */

/** The users of the bus, each with its own name and password. */
export const busUsers = ["client", "cortex", "supervisor"] as const;
export type BusUser = (typeof busUsers)[number];

/** What a client may do: ask, cancel, say something, listen. So it can forge no event. */
const clientPermissions = {
  publish: { allow: ["cortex.request", "cortex.cancel.*", "cortex.input.*"] },
  subscribe: { allow: ["cortex.event.>", "cortex.rejected", "cortex.status", "_INBOX.>"] },
};

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
  const users = busUsers.map((user) => ({
    user,
    password: passwords[user],
    ...(user === "client" ? { permissions: clientPermissions } : {}),
  }));
  // The server's format takes JSON values as they are.
  const value = (text: unknown) => JSON.stringify(text);
  return [
    `server_name: ${value(name)}`,
    `host: "127.0.0.1"`,
    `port: ${port}`,
    `pid_file: ${value(pidFile)}`,
    `jetstream { store_dir: ${value(storeFolder)}, max_file_store: ${maxFileStore} }`,
    `authorization { users: ${value(users)} }`,
    "",
  ].join("\n");
}
