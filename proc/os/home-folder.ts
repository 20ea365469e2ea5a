/** The user's home folder, which not everybody has: in a container a user may be nothing but a number. */
import { homedir } from "node:os";
import { EnvironmentError } from "./environment-error.ts";

/** @throws EnvironmentError saying what is looked for there */
export function homeFolder(env: NodeJS.ProcessEnv, wantedFor: string): string {
  const home = knownHome(env);
  if (home !== null) return home;
  throw new EnvironmentError(
    `HOME is not set, and this system knows no home folder of user ${process.getuid?.() ?? "?"}: ${wantedFor} would be looked for there`,
    "export JOURNAL_PATH=…, the journal's folder, and HOME=…, a folder that this user may write to",
  );
}

/** Null where there is none. */
export function knownHome(env: NodeJS.ProcessEnv): string | null {
  try {
    return env["HOME"] || homedir();
  } catch {
    return null; // neither in the environment nor in the list of users
  }
}
