/** A PostgreSQL server of a test file's own, on a socket in a temporary folder. */
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
} & AsyncDisposable;

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
    "log_checkpoints=off",
  ];
  const args = ["-D", data, "-k", folder, ...settings.flatMap((one) => ["-c", one])];
  const child = spawn(postgres ?? "", args, { ...user, stdio: ["ignore", "ignore", "pipe"] });
  const exited = once(child, "exit");
  for await (const line of createInterface({ input: child.stderr })) if (line.includes("ready to accept")) break;
  child.stderr.resume();
  const address = (database: string) => `postgres://test@localhost/${database}?host=${encodeURIComponent(folder)}`;
  let made = 0;
  return {
    async newDatabase() {
      const name = `test${made++}`;
      const client = new pg.Client({ connectionString: address("postgres") });
      await client.connect();
      try {
        await client.query(`CREATE DATABASE ${name}`);
      } finally {
        await client.end();
      }
      return address(name);
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGQUIT");
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
