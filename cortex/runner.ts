/** What executes a built-in backend: its bundle, if that was made of the sources as they are, else the sources. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFile } from "../proc/package-file.ts";

/** Where `npm run bundle` puts it. */
export const bundleFolder = "dist/runner";
/** In that folder: what it was made of. */
export const originFile = "origin.json";
export type Origin = { sources: string[]; hash: string };

/** Of what a bundle depends on: the sources' contents, and the versions of what they import. */
export function hashOf(root: string, sources: string[]): string {
  const hash = createHash("sha256");
  for (const path of [...sources, "package-lock.json"]) hash.update(path).update(readFileSync(join(root, path)));
  return hash.digest("hex");
}

/** The command of `cortex-agent`. */
export function runnerCommand(): string[] {
  runner ??= isFresh() ? packageFile("bin/runner.js") : packageFile("bin/cortex-agent.js");
  return [process.execPath, runner];
}

let runner: string | undefined;

/** An installed package has no sources that could be newer. */
function isFresh(): boolean {
  const file = packageFile(join(bundleFolder, originFile));
  if (!existsSync(file)) return false;
  if (!existsSync(packageFile("backends/main.ts"))) return true;
  try {
    const { sources, hash } = JSON.parse(readFileSync(file, "utf8")) as Origin;
    return hashOf(packageFile("."), sources) === hash;
  } catch {
    return false; // a source is gone
  }
}
