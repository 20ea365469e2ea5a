/**
 * `npm run page`: builds the page into `dist/page/`, each file compressed beside itself, where a source is newer than what is
 * there. `npm ci` and `npm test` do it.
 */
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "vite";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = join(root, "dist/page");

/** Milliseconds for which parts of older builds stay: a page that is open may still ask for them. */
const keptMs = 7 * 24 * 3_600_000;

/** The extensions of text files, which get smaller. */
const compressed = new Set([".html", ".js", ".css", ".svg", ".webmanifest"]);

if (!isFresh()) await buildPage();

/** Whether the document is newer than each source. */
function isFresh(): boolean {
  const made = statSync(join(target, "index.html"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = [...globSync("page/**/*", { cwd: root }), "package-lock.json", "tools/build-page.ts"];
  return sources.every((path) => statSync(join(root, path)).mtimeMs < made);
}

async function buildPage(): Promise<void> {
  mkdirSync(join(root, "dist"), { recursive: true });
  const temporary = mkdtempSync(join(root, "dist/.page-"));
  try {
    await build({
      root: join(root, "page"),
      configFile: false,
      logLevel: "warn",
      build: {
        outDir: temporary,
        emptyOutDir: true,
        target: ["chrome123", "firefox120", "safari17.5"],
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        reportCompressedSize: false,
      },
    });
    compressAll(temporary);
    putInPlace(temporary);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

function compressAll(folder: string): void {
  const files = globSync("**/*", { cwd: folder }).filter((path) => compressed.has(extname(path)));
  for (const path of files) {
    const content = readFileSync(join(folder, path));
    const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
    writeFileSync(join(folder, `${path}.br`), brotliCompressSync(content, { params }));
    writeFileSync(join(folder, `${path}.gz`), gzipSync(content, { level: 9 }));
  }
  process.stdout.write(`built the page: ${files.length} files into dist/page\n`);
}

/** The assets first, and the document last: it never names what isn't there. */
function putInPlace(made: string): void {
  const assets = join(target, "assets");
  mkdirSync(assets, { recursive: true });
  cpSync(join(made, "assets"), assets, { recursive: true });
  const oldest = Date.now() - keptMs;
  for (const name of readdirSync(assets)) if (statSync(join(assets, name)).mtimeMs < oldest) rmSync(join(assets, name));
  const others = readdirSync(made, { withFileTypes: true }).filter((entry) => entry.isFile());
  const documentLast = others.toSorted(
    (one, other) => Number(one.name === "index.html") - Number(other.name === "index.html"),
  );
  for (const { name } of documentLast) renameSync(join(made, name), join(target, name));
}
