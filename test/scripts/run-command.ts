/** Runs the real `cortex` on a journal of a test's own. */
import { fileURLToPath } from "node:url";
import { execa } from "execa";

const bin = fileURLToPath(new URL("../../bin/cortex.js", import.meta.url));

/** The folder that a user has on the PATH: hints then name `cortex` as it is. */
export const ownBin = fileURLToPath(new URL("../fixtures/bin", import.meta.url));
const path = `${ownBin}:${process.env["PATH"] ?? ""}`;

export type Ran = { code: number | undefined; stdout: string; stderr: string };

/** The command at work. Nothing of this machine's environment but PATH reaches it. @param input what it reads on stdin */
export const spawnCortex = (journal: string, args: string[], env: Record<string, string> = {}, input = "") =>
  execa(process.execPath, [bin, ...args], {
    env: { PATH: path, HOME: journal, JOURNAL_PATH: journal, ...env },
    extendEnv: false,
    reject: false,
    input,
  });

/** Runs a command and returns what it printed and its exit code. */
export async function runCortex(journal: string, args: string[], env: Record<string, string> = {}): Promise<Ran> {
  const { exitCode, stdout, stderr } = await spawnCortex(journal, args, env);
  return { code: exitCode, stdout, stderr };
}

/** With `--json`: the one document that the command printed. */
export async function runCortexJson(journal: string, args: string[], env: Record<string, string> = {}) {
  const { code, stdout } = await runCortex(journal, [...args, "--json"], env);
  return { code, document: JSON.parse(stdout) as Record<string, unknown> };
}
