/** The bundle of a program: where it is, and whether it is one of the sources as they stand. */
import { readFileSync, statSync } from "node:fs";

/** In the package. */
export const bundleFolder = "dist/bundle";

/** What is bundled: what is started as a process. */
export const programs = [
  "scripts/cortex",
  "backends/main",
  "cortex/main",
  "mcp-tools/main",
  "agents/main",
  "mcp-tools/apps/app-host",
  "supervisor/schedule/main",
  "channels/main",
];

export const bundleName = (program) => program.replaceAll("/", "-");

/** The address of a program's bundle, or null where there is none that is newer than each of its sources. */
export function freshBundle(program, hasSources) {
  const root = new URL("..", import.meta.url);
  const file = new URL(`${bundleFolder}/${bundleName(program)}.js`, root);
  const made = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (made === undefined) return null;
  if (!hasSources) return file.href;
  const sources = JSON.parse(readFileSync(new URL(file.href.replace(/\.js$/, ".json")), "utf8"));
  const isOlder = (path) => (statSync(new URL(path, root), { throwIfNoEntry: false })?.mtimeMs ?? Infinity) < made;
  return sources.every(isOlder) ? file.href : null;
}
