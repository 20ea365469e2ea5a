/** The bundle of a program: where it is, and whether it is one of the sources as they stand. */
import { readFileSync, statSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";

/** In the package. */
export const bundleFolder = "dist/bundle";

/** What is bundled: what is started as a process. */
export const programs = [
  "scripts/cortex",
  "backends/main",
  "cortex/main",
  "mcp-tools/main",
  "gateway/main",
  "telemetry/main",
  "agents/main",
  "mcp-tools/apps/app-host",
  "sandbox/main",
  "supervisor/schedule/main",
  "channels/main",
];

export const bundleName = (program) => program.replaceAll("/", "-");

/** The address of a program's bundle, or null where there is none that is newer than each of its sources. */
export function freshBundle(program, hasSources) {
  // Paths, not addresses: of hundreds of sources, each made into one would take longer than all else here.
  const root = fileURLToPath(new URL("..", import.meta.url));
  const file = `${root}${bundleFolder}/${bundleName(program)}`;
  const timeOf = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  const made = timeOf(`${file}.js`);
  if (made === undefined) return null;
  const address = pathToFileURL(`${file}.js`).href;
  if (!hasSources) return address;
  const sources = JSON.parse(readFileSync(`${file}.json`, "utf8"));
  return sources.every((path) => (timeOf(root + path) ?? Infinity) < made) ? address : null;
}
