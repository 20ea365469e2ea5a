/** The process that a run is compared with: one that does the same without us, started for it alone. */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The path of a script in `bench/bare/`. */
export const bareScript = (name: string) => fileURLToPath(new URL(`../../bare/${name}`, import.meta.url));

/** Starts a program with nothing but this environment. */
export function startBare([program = "", ...args]: readonly string[], env: Record<string, string> = {}): ChildProcess {
  return spawn(program, args, { stdio: ["ignore", "ignore", "inherit"], env: { PATH: process.env["PATH"], ...env } });
}

/**
 * From the start of a process to its end, in ms.
 * @throws Error when it fails
 */
export async function timeBare(command: readonly string[], env: Record<string, string> = {}): Promise<number> {
  const started = performance.now();
  const code = await new Promise<number | null>((resolve) => startBare(command, env).once("close", resolve));
  const ms = performance.now() - started;
  if (code !== 0) throw new Error(`${command.join(" ")} ended with exit code ${code}`);
  return ms;
}
