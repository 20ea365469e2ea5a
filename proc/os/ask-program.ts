/**
 * The output of a small program of the system. By Node's own means: a library for it takes longer to load than the
 * program to run.
 */
import { execFile, type ExecFileException } from "node:child_process";

/** More than that isn't read: it has gone wrong. */
const mostBytes = 16 * 1024 * 1024;

/** `error`: it couldn't be started, was ended, or left with another code than 0; null when all went well. */
export type ProgramAnswer = { stdout: string; stderr: string; error: ExecFileException | null };

/** Never rejects. A program that takes longer than `withinMs` is killed. */
export function askProgram(program: string, args: string[], withinMs: number): Promise<ProgramAnswer> {
  return new Promise((resolve) => {
    try {
      const limits = { timeout: withinMs, killSignal: "SIGKILL", maxBuffer: mostBytes } as const;
      execFile(program, args, limits, (error, stdout, stderr) => resolve({ stdout, stderr, error }));
    } catch (error) {
      // Of why it can't be started, Node tells the callback the commonest reasons, and throws the others: ENOTDIR, ENOMEM.
      resolve({ stdout: "", stderr: "", error: error as ExecFileException });
    }
  });
}
