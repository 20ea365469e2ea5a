/** Finds a program by its name, without starting anything. */
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { homeFolder, knownHome } from "./home-folder.ts";

/** The path of a program on `PATH` or in one of the other folders, or null. A name with a slash is taken as a path. */
export function findProgram(name: string, otherFolders: string[] = []): string | null {
  if (isAbsolute(name)) return isExecutable(name) ? name : null;
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), ...otherFolders];
  for (const folder of folders) {
    if (folder === "") continue;
    const path = join(folder, name);
    if (isExecutable(path)) return path;
  }
  return null;
}

/** Where a nats-server is, or null. Debian puts it into /usr/sbin, which a user's PATH often lacks. */
export function findNatsServer(): string | null {
  return findProgram("nats-server", [
    ...(process.env["XDG_DATA_HOME"] || knownHome(process.env) !== null ? [ownPrograms()] : []),
    "/usr/sbin",
    "/usr/local/sbin",
    "/usr/local/bin",
    "/opt/homebrew/bin",
    "/home/linuxbrew/.linuxbrew/bin",
  ]);
}

/** The folder for programs that cortex itself installs for this user. */
export function ownPrograms(): string {
  return join(
    process.env["XDG_DATA_HOME"] || join(homeFolder(process.env, "what cortex installs"), ".local", "share"),
    "cortex",
    "bin",
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
