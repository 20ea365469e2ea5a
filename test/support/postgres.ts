/** PostgreSQL servers of tests, each on a socket in a temporary folder: one of a worker's own, which its files share, or one of a test's own. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import pg from "pg";
import { findProgram } from "../../proc/os/find-program.ts";

/** Debian keeps the programs of each version out of the PATH. */
const folders = globSync("/usr/lib/postgresql/*/bin").toSorted().toReversed();
const initdb = findProgram("initdb", folders);
const postgres = findProgram("postgres", folders);

export const hasPostgres = initdb !== null && postgres !== null;

export type PostgresServer = {
  /** Makes an empty database and returns its address. */
  newDatabase: () => Promise<string>;
  /** Removes a database, whoever is still connected to it. */
  dropDatabase: (address: string) => Promise<void>;
} & AsyncDisposable;

let ofWorker: Promise<PostgresServer> | undefined;

/** The server that the files of this worker share. It ends with the worker: its makers drop their databases, not the server. */
export function workerPostgres(): Promise<PostgresServer> {
  ofWorker ??= startPostgres();
  return ofWorker;
}

/** Ends the server, and removes its folder, when its input ends: so also when the process that started it is killed. */
const untilInputEnds = `folder="$1"; shift; "$@" & exec 2>/dev/null; read -r _; kill -QUIT $!; wait; rm -rf "$folder"`;

export async function startPostgres(): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), "pg-"));
  const data = join(folder, "data");
  const user = serverUser();
  if (user) chownSync(folder, user.uid, user.gid);
  // Nothing of it outlives the test: it needn't reach the disk.
  execFileSync(initdb ?? "", ["-D", data, "-A", "trust", "-U", "test", "--no-sync", "--locale=C", "-E", "UTF8"], {
    ...user,
    stdio: "ignore",
  });
  const settings = [
    "listen_addresses=",
    "fsync=off",
    "synchronous_commit=off",
    "max_connections=50",
    // Its workers would hold a database that is copied or removed.
    "autovacuum=off",
    "log_checkpoints=off",
  ];
  const args = ["-D", data, "-k", folder, ...settings.flatMap((one) => ["-c", one])];
  const child = spawn("/bin/sh", ["-c", untilInputEnds, "sh", folder, postgres ?? "", ...args], {
    ...user,
    stdio: ["pipe", "ignore", "pipe"],
  });
  const exited = once(child, "exit");
  for await (const line of createInterface({ input: child.stderr })) if (line.includes("ready to accept")) break;
  child.stderr.resume();
  const address = (database: string) => `postgres://test@localhost/${database}?host=${encodeURIComponent(folder)}`;
  const command = async (text: string) => {
    const client = new pg.Client({ connectionString: address("postgres") });
    await client.connect();
    try {
      await client.query(text);
    } finally {
      await client.end();
    }
  };
  let made = 0;
  return {
    async newDatabase() {
      const name = `test${made++}`;
      await command(`CREATE DATABASE ${name}`);
      return address(name);
    },
    async dropDatabase(url) {
      await command(`DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`);
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root: then as the user that its package made. */
function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (option: string) => Number(execFileSync("id", [option, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}
