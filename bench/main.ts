/**
 * `npm run bench`: measures in a PID namespace of its own, where the system gives one. Processes that outlive their
 * parents are waited for by the namespace's first process then, so that their CPU is counted there.
 */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { findIsolation } from "../proc/runs/isolation.ts";

/** The first process: waits for all that come to it, and ends as the benchmark does. */
const first = '"$@" & wait $!';

const { namespace } = await findIsolation();
const table = fileURLToPath(new URL("table.ts", import.meta.url));
const measure = [process.execPath, table, ...process.argv.slice(2)];
const isolated = [...namespace, "--mount-proc", "/bin/sh", "-c", first, "sh"];
const [command = "", ...args] = namespace.length > 0 ? [...isolated, ...measure] : measure;
const child = spawn(command, args, { stdio: "inherit" });
// Whatever was started ends with the namespace.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill("SIGKILL"));
const code = await new Promise<number | null>((resolve, reject) => child.once("close", resolve).once("error", reject));
process.exitCode = code ?? 1;
