/**
 * `npm run bundle`: what a run's process executes, in a few files under dist/runner/, since most of a short process's time
 * goes into finding and compiling hundreds of modules. Done by `npm ci`; where it is missing or older than the sources, the
 * sources run (cortex/runner.ts).
 */
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { bundleFolder, hashOf, type Origin, originFile } from "../cortex/runner.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Loaded when it is there, and only then: it brings a program of 200 MB. */
const external = [/^@anthropic-ai\/claude-agent-sdk/];

const bundle = await rolldown({
  input: { main: join(root, "backends/main.ts") },
  cwd: root,
  platform: "node",
  external,
});
const temporary = mkdtempSync(join(root, ".runner-"));
try {
  const { output } = await bundle.write({ dir: temporary, minify: true, chunkFileNames: "[name]-[hash].js" });
  const modules = output.flatMap((part) => (part.type === "chunk" ? part.moduleIds : []));
  const sources = [...new Set(modules.map((path) => relative(root, path)))]
    .filter((path) => path.endsWith(".ts") && !path.startsWith("node_modules"))
    .toSorted();
  const origin: Origin = { sources, hash: hashOf(root, sources) };
  writeFileSync(join(temporary, originFile), JSON.stringify(origin));
  chmodSync(temporary, 0o755); // whoever runs it may not be who made it
  const folder = join(root, bundleFolder);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, ".."), { recursive: true });
  renameSync(temporary, folder);
  const bytes = output.reduce((sum, part) => sum + (part.type === "chunk" ? part.code.length : 0), 0);
  process.stdout.write(`bundled ${sources.length} sources into ${bundleFolder}: ${Math.round(bytes / 1024)} KiB\n`);
} finally {
  rmSync(temporary, { recursive: true, force: true });
  await bundle.close();
}
