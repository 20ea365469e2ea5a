/** The walls and the environment that all programs in a sandbox have in common, whoever asked for it. */
import { existsSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { packageFile } from "../../proc/programs/package-file.ts";
import { isWithin } from "./is-within.ts";
import type { Walls } from "./walls.ts";
import { hiddenPaths, realPathsOf } from "./hidden-paths.ts";
import { proxyVariables } from "../network/forwarder.ts";

/**
 * Hides what holds this user's secrets, other programs' temporary files, and more.
 * @param hidden, shown as the caller has them: what isn't there is left out, and links are followed
 * @param around real paths
 */
export function usualWalls(
  around: Omit<Walls, "hidden" | "shown">,
  { hidden, shown }: { hidden: readonly string[]; shown: readonly string[] },
): Walls {
  const outside = [tmpdir(), "/var/tmp"].flatMap(realPathsOf);
  return {
    ...around,
    veiled: homes()
      .flatMap(realPathsOf)
      .filter((home) => ![...outside, around.folder].some((folder) => isWithin(home, folder)) && home !== "/"),
    hidden: [...hiddenPaths(homes(), process.env), ...hidden.flatMap(realPathsOf), ...outside],
    // What runs inside is found there, also where this package or its Node stand among temporary files.
    shown: [...shown, packageFile(""), dirname(process.execPath)].flatMap(realPathsOf),
  };
}

/**
 * The environment inside, where `/tmp` and what is in it are the program's own.
 * @param env what everybody may know
 * @param network what it reaches: any is by our proxy, and nothing by another
 */
export function insideEnvironment(env: Record<string, string>, network: readonly string[]): Record<string, string> {
  const known = Object.entries(env).filter(([name]) => !/_proxy$/i.test(name));
  // Who commits, stands in the settings of git's user.
  const gitSettings = homes()
    .map((home) => join(home, ".gitconfig"))
    .find((path) => existsSync(path));
  return {
    ...Object.fromEntries(known),
    HOME: "/tmp/home",
    TMPDIR: "/tmp",
    ...(gitSettings !== undefined && { GIT_CONFIG_GLOBAL: gitSettings }),
    ...(network.length > 0 && proxyVariables()),
  };
}

function homes(): string[] {
  try {
    return [homedir()];
  } catch {
    return [];
  }
}
