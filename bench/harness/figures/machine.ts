/** The machine on which something was measured, in a sentence. */
import { execFileSync } from "node:child_process";
import { availableParallelism, cpus, loadavg, release, totalmem } from "node:os";
import { findNatsServer } from "../../../proc/os/find-program.ts";

export function machine(): string {
  const server = findNatsServer();
  const nats = server === null ? "none" : execFileSync(server, ["--version"], { encoding: "utf8" }).trim();
  const date = new Date().toISOString().slice(0, 10);
  const memory = Math.round(totalmem() / 2 ** 30);
  const load = loadavg()[0]?.toFixed(1);
  return `${date}: ${availableParallelism()} cores (${cpus()[0]?.model.trim()}), ${memory} GiB, Linux ${release()}, Node ${process.versions.node}, ${nats}; load at the end ${load}`;
}
