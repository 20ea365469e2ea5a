/**
 * `npm run test:fast`: the tests that start nothing, for the loop while editing. One is fast when it isn't called long, and neither
 * its file nor what that takes from test/ imports what starts a process, a server or a watcher, or a source of ours that imports such a thing itself.
 */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { startVitest } from "vitest/node";

const root = fileURLToPath(new URL("..", import.meta.url));
const starters = ["node:child_process", "node:worker_threads", "node:http", "node:net", "execa", "fastify", "chokidar"];

/** The paths of the fast tests, from the root of the repository. */
export function fastTests(folder = root): string[] {
  const known = new Map<string, boolean>();
  const starts = (path: string): boolean => {
    const before = known.get(path);
    if (before !== undefined) return before;
    known.set(path, false); // until it is known: of a circle, the others decide
    const specifiers = importsOf(join(folder, path));
    const own = specifiers
      .filter((one) => one.startsWith("."))
      .map((one) => relative(folder, join(folder, dirname(path), one)));
    const isStarter = (file: string) => {
      if (!existsSync(join(folder, file))) return false;
      return file.startsWith("test/") ? starts(file) : importsStarter(importsOf(join(folder, file)));
    };
    const found = importsStarter(specifiers) || own.some(isStarter);
    known.set(path, found);
    return found;
  };
  return globSync("test/**/*.test.ts", { cwd: folder, exclude: ["**/*.long.test.ts"] })
    .toSorted()
    .filter((path) => !starts(path));
}

const importsStarter = (specifiers: string[]) => specifiers.some((one) => starters.includes(one));

/** Lists the imports of a file at run time. By a pattern, since all tests are read each time. */
function importsOf(path: string): string[] {
  const text = readFileSync(path, "utf8");
  const imports = text.matchAll(
    /^(?:import|export)\s(?!type\b)[^"';]*from\s*"([^"]+)"|^import\s*"([^"]+)"|\bimport\(\s*"([^"]+)"/gm,
  );
  return [...imports].flatMap(([, one, two, three]) => one ?? two ?? three ?? []);
}

if (import.meta.main) {
  const vitest = await startVitest("test", [], { run: true, watch: false, include: fastTests(), reporters: ["dot"] });
  await vitest.close();
}
