/**
 * `npm run bundle`: each program in a file under dist/bundle/, and a few more for what it seldom needs, since most of a short
 * process's time goes into finding and compiling hundreds of modules. `npm ci` and `npm test` do it; a program whose bundle is older than one of its sources
 * runs those (bin/launch.js).
 */
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type OutputChunk, rolldown } from "rolldown";
import { lazyBuiltins } from "./sources/lazy-builtins.ts";
import { noValidator } from "./sources/no-validator.ts";
import { bundleFolder, bundleName, freshBundle, programs } from "../bin/bundle.js";

const root = fileURLToPath(new URL("..", import.meta.url));
/** The packages that are seldom loaded: a program of 200 MB, a library for images, and one for walls, which looks for its own files. */
const external = [/^@anthropic-ai\/claude-agent-sdk/, /^sharp$/, /^@anthropic-ai\/sandbox-runtime/];

/** Less to read and compile; names stay, so that a stack can be read. */
const minify = { compress: true, mangle: false, codegen: { removeWhitespace: true } };

/** Milliseconds for which parts of older bundles stay. */
const keptMs = 7 * 24 * 3_600_000;

if (programs.every((program) => freshBundle(program, true) !== null)) process.exit();

const temporary = mkdtempSync(join(root, ".bundle-"));
try {
  for (const program of programs) await bundleOf(program);
  copyFileSync(join(root, "proc/runs/shim.sh"), join(temporary, "shim.sh")); // stands beside what starts it
  const files = putInPlace();
  process.stdout.write(`bundled ${programs.length} programs in ${files} files into ${bundleFolder}\n`);
} finally {
  rmSync(temporary, { recursive: true, force: true });
}

/** Each by itself: what it always needs is one file, and not what it has in common with each of the others. */
async function bundleOf(program: string): Promise<void> {
  const input = { [bundleName(program)]: join(root, `${program}.ts`) };
  const plugins = [lazyBuiltins, noValidator];
  await using bundle = await rolldown({ input, cwd: root, platform: "node", external, plugins });
  const { output } = await bundle.write({ dir: temporary, chunkFileNames: "[name]-[hash].js", minify });
  const chunks = new Map(output.filter((part) => part.type === "chunk").map((chunk) => [chunk.fileName, chunk]));
  for (const chunk of chunks.values()) if (chunk.isEntry) noteSources(chunk, chunks);
}

/** File by file, the entries last: a program that runs an older bundle still finds the parts that it imports later. */
function putInPlace(): number {
  const folder = join(root, bundleFolder);
  mkdirSync(folder, { recursive: true });
  const isEntry = (name: string) => programs.some((program) => name.startsWith(`${bundleName(program)}.`));
  const made = readdirSync(temporary).toSorted((one, other) => Number(isEntry(one)) - Number(isEntry(other)));
  for (const name of made) renameSync(join(temporary, name), join(folder, name));
  const oldest = Date.now() - keptMs;
  for (const name of readdirSync(folder))
    if (!made.includes(name) && statSync(join(folder, name)).mtimeMs < oldest) rmSync(join(folder, name));
  return made.filter((name) => name.endsWith(".js")).length;
}

/** Writes down what an entry was made of: its own sources, and the versions of what it imports. */
function noteSources(entry: OutputChunk, chunks: ReadonlyMap<string, OutputChunk>): void {
  const sources = new Set(["package-lock.json", "proc/runs/shim.sh"]);
  const seen = new Set<string>();
  const visit = (name: string) => {
    const chunk = chunks.get(name);
    if (!chunk || seen.has(name)) return;
    seen.add(name);
    for (const path of chunk.moduleIds.map((id) => relative(root, id)))
      if (/^(?!node_modules|\.\.).*\.ts$/.test(path)) sources.add(path);
    for (const next of [...chunk.imports, ...chunk.dynamicImports]) visit(next);
  };
  visit(entry.fileName);
  writeFileSync(join(temporary, `${entry.name}.json`), JSON.stringify([...sources].toSorted()));
}
